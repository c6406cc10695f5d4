export const DAY = 24 * 3600_000;

/** `at(day, hour)`: a time counted from today's midnight, UTC. */
export type Clock = { now: Date; at: (day: number, hour?: number) => Date };

export function clockOf(now: Date): Clock {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  return { now, at: (day, hour = 0) => new Date(midnight + day * DAY + hour * 3600_000) };
}
