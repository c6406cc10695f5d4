/** Time ranges of analytics and exports, and their months. All times are in UTC. */

export const TIME_RANGE_NAMES = ["30d", "90d", "1y", "all"] as const;
export type TimeRangeName = (typeof TIME_RANGE_NAMES)[number];

/**
 * The period in which reports are counted: a time range that ends now, or the days `from` and `to`, which replace it.
 */
export type PeriodFilter = { timeRange: TimeRangeName; from?: string | undefined; to?: string | undefined };
export type PeriodFilterAndNow = { filter: PeriodFilter; now: Date };

const DAY_MS = 24 * 3600 * 1000;
const startOfDay = (day: string): Date => new Date(`${day}T00:00:00.000Z`);

export const isCustomPeriod = ({ from, to }: PeriodFilter): boolean => from !== undefined || to !== undefined;

/**
 * Returns the time from which reports count: the day `from`, the midnight that begins the day 30 or 90 days ago, or the
 * same date of the previous year. Undefined for `all`, and for days without `from`.
 */
export function computePeriodStart({ filter, now }: PeriodFilterAndNow): Date | undefined {
  if (isCustomPeriod(filter)) return filter.from === undefined ? undefined : startOfDay(filter.from);
  return startOfRange(filter.timeRange, now);
}

/** Returns the time before which reports count: the end of the day `to`. Undefined if the period ends now. */
export function computePeriodEnd({ filter, now }: PeriodFilterAndNow): Date | undefined {
  const end = filter.to === undefined ? undefined : new Date(startOfDay(filter.to).getTime() + DAY_MS);
  return end && end < now ? end : undefined;
}

/** Returns a time on the last day of the period. */
export function computeLastDayOfPeriod(selection: PeriodFilterAndNow): Date {
  const end = computePeriodEnd(selection);
  return end ? new Date(end.getTime() - 1) : selection.now;
}

function startOfRange(range: TimeRangeName, now: Date): Date | undefined {
  if (range === "all") return undefined;
  const start = new Date(now);
  if (range === "1y") start.setUTCFullYear(now.getUTCFullYear() - 1);
  else start.setUTCDate(now.getUTCDate() - Number.parseInt(range, 10));
  start.setUTCHours(0, 0, 0, 0);
  return start;
}

/** Returns the start of the previous period: as many days, or a year, before the period; undefined without a start. */
export function computePreviousPeriodStart(selection: PeriodFilterAndNow): Date | undefined {
  const { filter, now } = selection;
  const start = computePeriodStart(selection);
  if (!start || !isCustomPeriod(filter)) return start && startOfRange(filter.timeRange, start);
  const end = computePeriodEnd(selection) ?? now;
  const days = Math.ceil((end.getTime() - start.getTime()) / DAY_MS);
  return new Date(start.getTime() - days * DAY_MS);
}

/** The unit of the points of a chart. */
export type ChartPointUnit = "day" | "month" | "year";
const MAX_CHART_POINTS = 36;

/** Chooses the unit in which the database groups the points: days for the short ranges and up to 36 days, else months. */
export function chooseCountedUnit(selection: PeriodFilterAndNow): "day" | "month" {
  const start = computePeriodStart(selection);
  if (!isCustomPeriod(selection.filter))
    return ["30d", "90d"].includes(selection.filter.timeRange) ? "day" : "month";
  const end = computePeriodEnd(selection) ?? selection.now;
  return start && end.getTime() - start.getTime() <= MAX_CHART_POINTS * DAY_MS ? "day" : "month";
}

/** Lists the days from the first to the last, both inclusive, as `YYYY-MM-DD`. */
function listDaysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS) days.push(toIsoDay(new Date(at)));
  return days;
}

/**
 * Lists the points of a chart without gaps: the days of a short period, or its months as `listPeriodMonths` does, or,
 * where these are more than 36, their years. Empty if nothing is counted in a period without a start.
 */
export function listChartPoints(
  counted: readonly string[],
  selection: PeriodFilterAndNow,
): { unit: ChartPointUnit; keys: string[] } {
  const start = computePeriodStart(selection);
  if (start && chooseCountedUnit(selection) === "day")
    return {
      unit: "day",
      keys: listDaysBetween(toIsoDay(start), toIsoDay(computeLastDayOfPeriod(selection))),
    };
  const months = listPeriodMonths(counted, selection);
  if (months.length <= MAX_CHART_POINTS) return { unit: "month", keys: months };
  return { unit: "year", keys: [...new Set(months.map((month) => month.slice(0, YEAR_LENGTH)))] };
}

/** The length of the key of a year. */
const YEAR_LENGTH = "2026".length;

/** Returns the point that a day or month (`YYYY-MM-DD` or `YYYY-MM`) belongs to. */
export const toChartPointKey = (at: string, unit: ChartPointUnit): string =>
  unit === "year" ? at.slice(0, YEAR_LENGTH) : at;

const toIsoDay = (at: Date): string => at.toISOString().slice(0, 10);

/** Returns the month of a time as `YYYY-MM`. */
const toIsoMonth = (at: Date): string => at.toISOString().slice(0, 7);

/** Lists every month from the first to the last, both inclusive, as `YYYY-MM`; empty if the first is later. */
export function listMonthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  for (let index = computeMonthIndex(first); index <= computeMonthIndex(last); index += 1)
    months.push(formatMonthsSinceYearZero(index));
  return months;
}

const computeMonthIndex = (month: string): number =>
  Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;
/** Returns the month that is `index` months after January of year 0, as `YYYY-MM`. */
const formatMonthsSinceYearZero = (index: number): string =>
  `${String(Math.floor(index / 12)).padStart(4, "0")}-${String((index % 12) + 1).padStart(2, "0")}`;

export type MonthReportCounts = { month: string; count: number; resolved: number };

/**
 * Lists the months of a period without gaps, as `YYYY-MM`: from the start of a time range, but from the first counted
 * month of all time and of chosen days, which may begin centuries before the first report. Empty if there is neither.
 */
export function listPeriodMonths(counted: readonly string[], selection: PeriodFilterAndNow): string[] {
  const start = isCustomPeriod(selection.filter) ? undefined : computePeriodStart(selection);
  const first = start ? toIsoMonth(start) : counted.toSorted()[0]?.slice(0, "2026-03".length);
  return first === undefined ? [] : listMonthsBetween(first, toIsoMonth(computeLastDayOfPeriod(selection)));
}

/** Returns the counts for the months that `listPeriodMonths` names. */
export function fillMonthGaps(
  counted: readonly MonthReportCounts[],
  selection: PeriodFilterAndNow,
): MonthReportCounts[] {
  const names = listPeriodMonths(
    counted.map(({ month }) => month),
    selection,
  );
  const byMonth = new Map(counted.map((one) => [one.month, one]));
  return names.map((month) => byMonth.get(month) ?? { month, count: 0, resolved: 0 });
}
