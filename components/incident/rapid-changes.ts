/** Groups minor changes that one person made in quick succession. */

type GroupableEntry = { kind: string; action: string; actor: { id: string } | null; createdAt: string };

const MAX_GROUP_GAP_MS = 10 * 60 * 1000;
/** Shorter runs aren't grouped. */
const MIN_GROUP_SIZE = 4;

/** Splits the entries, in order, into groups: single entries, or runs that are shown as one line. */
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

/** Messages, notes and MAJOR_ACTIONS, such as a status change, are never grouped. */
const isMinorChange = ({ kind, action, actor }: GroupableEntry): boolean =>
  actor !== null && (kind === "files" || (kind === "changes" && !MAJOR_ACTIONS.has(action)));

const MAJOR_ACTIONS = new Set(["submitted", "state", "reopen", "deadline"]);
