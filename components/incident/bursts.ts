/** Small changes that one person made one right after the other belong together. */

type Foldable = { kind: string; action: string; actor: { id: string } | null; createdAt: string };

const WITHIN_MS = 10 * 60 * 1000;
/** As few as this are shown as they are. */
const FEWEST = 4;

/** The entries in their order, in groups: of one entry, or of the many that are told in one line. */
export function inBursts<Entry extends Foldable>(entries: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = [];
  for (const entry of entries) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && belongs(entry, last)) group.push(entry);
    else groups.push([entry]);
  }
  return groups.flatMap((group) => (group.length >= FEWEST ? [group] : group.map((entry) => [entry])));
}

function belongs(entry: Foldable, last: Foldable): boolean {
  const near = Date.parse(entry.createdAt) - Date.parse(last.createdAt) <= WITHIN_MS;
  return near && isSmall(entry) && isSmall(last) && entry.actor?.id === last.actor?.id;
}

/** What people said, and where the report moved to, stands for itself. */
const isSmall = ({ kind, action, actor }: Foldable): boolean =>
  actor !== null && (kind === "files" || (kind === "changes" && !LARGE.has(action)));

const LARGE = new Set(["submitted", "state", "reopen", "deadline"]);
