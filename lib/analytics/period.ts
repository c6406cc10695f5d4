/** Time ranges of analytics and exports, and their months. All in UTC. */

export const TIME_RANGES = ["30d", "90d", "1y", "all"] as const;
export type TimeRange = (typeof TIME_RANGES)[number];

const DAY = 24 * 60 * 60 * 1000;

/** From when on reports count; undefined for `all`. A year goes back to the same day of the year before. */
export function startOf(range: TimeRange, now: Date): Date | undefined {
  if (range === "all") return undefined;
  if (range !== "1y") return new Date(now.getTime() - Number.parseInt(range, 10) * DAY);
  const start = new Date(now);
  start.setUTCFullYear(now.getUTCFullYear() - 1);
  return start;
}

/** `YYYY-MM` of a time. */
export const monthOf = (at: Date): string => at.toISOString().slice(0, 7);

/** Every month from the first to the last, both included, as `YYYY-MM`; none when the first comes later. */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  for (let index = indexOf(first); index <= indexOf(last); index += 1) months.push(nameOf(index));
  return months;
}

const indexOf = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;
const nameOf = (index: number): string =>
  `${String(Math.floor(index / 12)).padStart(4, "0")}-${String((index % 12) + 1).padStart(2, "0")}`;

export type MonthCount = { month: string; count: number; resolved: number };

/**
 * The months of a chart without gaps: from the start of the range, or from the first counted month where
 * the range has no start, to the present month. Empty when there is neither.
 */
export function monthlyTrends(
  counted: readonly MonthCount[],
  since: Date | undefined,
  now: Date,
): MonthCount[] {
  const first = since ? monthOf(since) : counted.map(({ month }) => month).toSorted()[0];
  if (first === undefined) return [];
  const byMonth = new Map(counted.map((one) => [one.month, one]));
  return monthsBetween(first, monthOf(now)).map(
    (month) => byMonth.get(month) ?? { month, count: 0, resolved: 0 },
  );
}
