/**
 * How many reports of each event a search has found, as the event stood then (docs/decisions/025). A word that stands in
 * a third of all reports takes the database a second for a hundred thousand of them, since each has to be looked at to
 * say how many there are; the number stays right until something changes in the event.
 */

/** What was found of an event. `version` grows with each change that a search goes by. */
export type Found = { eventId: string; version: number; reports: number; matching: number };

/** By what was looked for, and by event; the last one used is the last. It says nothing of whom it was counted for. */
const searches = new Map<string, Map<string, Found>>();
const MOST_SEARCHES = 200;

/** With fewer than these, looking each of them up takes as long as this would. */
export const LEAST_WORTH = 500;

/** What is known of these events; undefined where too little is. */
export function knownMatches(looked: string, events: readonly string[]): Found[] | undefined {
  const known = searches.get(looked);
  if (!known) return undefined;
  searches.delete(looked);
  searches.set(looked, known);
  const found = events.flatMap((eventId) => known.get(eventId) ?? []);
  return found.length > 0 && events.length - found.length <= MOST_UNKNOWN ? found : undefined;
}

/** So many events are counted beside those that are known. */
const MOST_UNKNOWN = 4;

/** What is being looked for that was never looked for before. */
const first = new Map<string, Promise<void>>();

/**
 * Runs a search. Where the same is being looked for for the first time, it waits for that, so that what takes a second
 * for a common word is done once, not by everybody who looks for it in that second.
 */
export async function afterTheFirst<T>(looked: string, search: () => Promise<T>): Promise<T> {
  const before = searches.has(looked) ? undefined : first.get(looked);
  if (before) await before;
  if (searches.has(looked) || first.has(looked)) return search();
  const found = search();
  const over = found.then(
    () => {},
    () => {},
  );
  first.set(looked, over);
  void over.then(() => first.delete(looked));
  return found;
}

/** Keeps what was found until something else has been looked for often enough. */
export function keepMatches(looked: string, found: readonly Found[]): void {
  const known = searches.get(looked) ?? new Map<string, Found>();
  for (const one of found) known.set(one.eventId, one);
  searches.set(looked, known);
  for (const oldest of searches.keys()) {
    if (searches.size <= MOST_SEARCHES) break;
    searches.delete(oldest);
  }
}

/**
 * Whether going through the newest reports until `last` of them match is quicker than looking up all that match: for a
 * common word, not for a rare one.
 */
export function isCommon(found: readonly Found[], last: number): boolean {
  const { reports, matching } = sumOf(found);
  return matching >= LEAST_WORTH && matching * matching >= 4 * last * reports;
}

/** How many of the newest have `last` that match among them, by far. */
export function enoughFor(found: readonly Found[], last: number): number {
  const { reports, matching } = sumOf(found);
  return Math.ceil((20 * last * reports) / matching);
}

const sumOf = (found: readonly Found[]) =>
  found.reduce(
    (sum, one) => ({ reports: sum.reports + one.reports, matching: sum.matching + one.matching }),
    { reports: 0, matching: 0 },
  );
