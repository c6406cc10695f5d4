/** Small changes that one person made one right after the other belong together. */

type GroupableEntry = { kind: string; action: string; actor: { id: string } | null; createdAt: string };

const MAX_GROUP_GAP_MS = 10 * 60 * 1000;
/** As few as this are shown as they are. */
const MIN_GROUP_SIZE = 4;

/** The entries in their order, in groups: of one entry, or of the many that are told in one line. */
export function groupRapidChanges<Entry extends GroupableEntry>(entries: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = [];
  for (const entry of entries) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && belongsToGroup(entry, last)) group.push(entry);
    else groups.push([entry]);
  }
  return groups.flatMap((group) =>
    group.length >= MIN_GROUP_SIZE ? [group] : group.map((entry) => [entry]),
  );
}

function belongsToGroup(entry: GroupableEntry, last: GroupableEntry): boolean {
  const isWithinGap = Date.parse(entry.createdAt) - Date.parse(last.createdAt) <= MAX_GROUP_GAP_MS;
  return isWithinGap && isMinorChange(entry) && isMinorChange(last) && entry.actor?.id === last.actor?.id;
}

/** What people said, and where the report moved to, stands for itself. */
const isMinorChange = ({ kind, action, actor }: GroupableEntry): boolean =>
  actor !== null && (kind === "files" || (kind === "changes" && !MAJOR_ACTIONS.has(action)));

const MAJOR_ACTIONS = new Set(["submitted", "state", "reopen", "deadline"]);
