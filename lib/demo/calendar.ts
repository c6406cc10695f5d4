export const DAY_MS = 24 * 3600_000;

/** `at(day, hour)` returns a time relative to today's midnight in UTC. */
export type DemoCalendar = { now: Date; at: (day: number, hour?: number) => Date };

export function createDemoCalendar(now: Date): DemoCalendar {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  return { now, at: (day, hour = 0) => new Date(midnight + day * DAY_MS + hour * 3600_000) };
}
