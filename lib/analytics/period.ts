/** Time ranges of analytics and exports, and their months. All times are in UTC. */

export const TIME_RANGES = ["30d", "90d", "1y", "all"] as const;
export type TimeRange = (typeof TIME_RANGES)[number];

/**
 * Returns the time from which reports count: the midnight that begins the day 30 or 90 days ago, or the same date of
 * the previous year. Undefined for `all`.
 */
export function startOfRange(range: TimeRange, now: Date): Date | undefined {
  if (range === "all") return undefined;
  const start = new Date(now);
  if (range === "1y") start.setUTCFullYear(now.getUTCFullYear() - 1);
  else start.setUTCDate(now.getUTCDate() - Number.parseInt(range, 10));
  start.setUTCHours(0, 0, 0, 0);
  return start;
}

/** Returns the start of the previous period: as many days, or a year, before the range; undefined for `all`. */
export function startOfPreviousRange(range: TimeRange, now: Date): Date | undefined {
  const start = startOfRange(range, now);
  return start && startOfRange(range, start);
}

/** The first day of a range and its first whole month, as `YYYY-MM-DD`. */
export type RangeParts = { firstDay: string; firstMonth: string };

/** Splits a range into days and whole months; undefined for `all`, which has only months. */
export function splitRange(range: TimeRange, now: Date): RangeParts | undefined {
  const start = startOfRange(range, now);
  if (!start) return undefined;
  const month = new Date(
    Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + (start.getUTCDate() === 1 ? 0 : 1), 1),
  );
  return { firstDay: toIsoDay(start), firstMonth: toIsoDay(month) };
}

const toIsoDay = (at: Date): string => at.toISOString().slice(0, 10);

/** Returns the month of a time as `YYYY-MM`. */
export const toIsoMonth = (at: Date): string => at.toISOString().slice(0, 7);

/** Lists every month from the first to the last, both inclusive, as `YYYY-MM`; empty if the first is later. */
export function listMonthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  for (let index = monthIndex(first); index <= monthIndex(last); index += 1)
    months.push(monthFromIndex(index));
  return months;
}

const monthIndex = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;
/** Returns the month that is `index` months after January of year 0, as `YYYY-MM`. */
export const monthFromIndex = (index: number): string =>
  `${String(Math.floor(index / 12)).padStart(4, "0")}-${String((index % 12) + 1).padStart(2, "0")}`;

export type MonthCount = { month: string; count: number; resolved: number };

/**
 * Lists the months of a chart without gaps: from the start of the range, or from the first counted month if the range
 * has no start, to the current month. Empty if there is neither.
 */
export function listChartMonths(counted: readonly string[], since: Date | undefined, now: Date): string[] {
  const first = since ? toIsoMonth(since) : counted.toSorted()[0];
  return first === undefined ? [] : listMonthsBetween(first, toIsoMonth(now));
}

/** Returns the counts for the months that `listChartMonths` names. */
export function fillMonthGaps(
  counted: readonly MonthCount[],
  since: Date | undefined,
  now: Date,
): MonthCount[] {
  const names = listChartMonths(
    counted.map(({ month }) => month),
    since,
    now,
  );
  const byMonth = new Map(counted.map((one) => [one.month, one]));
  return names.map((month) => byMonth.get(month) ?? { month, count: 0, resolved: 0 });
}
