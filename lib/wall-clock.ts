export const QUARTER_HOUR_MS = 15 * 60_000;
export const DAY_MS = 24 * 3_600_000;

/** Rounds a time down to its quarter of an hour or UTC day, so that it tells nothing finer. Both in ms since 1970. */
export const roundDownTime = (time: number, unit: number): number => time - (time % unit);

/**
 * Returns the moment at which a clock in this zone shows this time.
 * @param local "YYYY-MM-DDTHH:mm", as a datetime field submits it
 * @returns ISO 8601 in UTC, or null if the time or the zone doesn't exist. In a repeated hour, returns the first
 *   of the two moments; in a skipped hour, assumes that the clock hasn't changed yet.
 */
export function convertZonedTimeToUtc(local: string, zone: string): string | null {
  const candidates = listCandidateMoments(local, zone);
  if (!candidates) return null;
  const [before] = candidates;
  return new Date((candidates.find(({ isShown }) => isShown) ?? before).at).toISOString();
}

/**
 * Lists the moments at which a clock in this zone shows this time, in order: none where clocks skip it, two where they
 * are put back. Returns null if there is no such day, time or zone.
 * @param local "YYYY-MM-DDTHH:mm"
 */
export function listMomentsOfZonedTime(local: string, zone: string): string[] | null {
  const shown = listCandidateMoments(local, zone)?.filter(({ isShown }) => isShown);
  return shown ? [...new Set(shown.map(({ at }) => new Date(at).toISOString()))].toSorted() : null;
}

type CandidateMoment = { at: number; isShown: boolean };

/**
 * Lists the moments at which a clock shows this time by its offsets from UTC a day before and a day after. Clocks change
 * at most once in two days, so one of these offsets holds at that time.
 */
function listCandidateMoments(local: string, zone: string): [CandidateMoment, CandidateMoment] | null {
  const shown = Date.parse(`${local}Z`);
  const findMoment = (offsetAt: number): CandidateMoment => {
    const at = shown - (computeWallClockTimeAsUtcMs(offsetAt, zone) - offsetAt);
    return { at, isShown: computeWallClockTimeAsUtcMs(at, zone) === shown };
  };
  try {
    // Rejects a date without a time, and days that don't exist: February 30 would be parsed as March 2.
    if (local.length < 16 || !new Date(shown).toISOString().startsWith(local)) return null;
    return [findMoment(shown - DAY_MS), findMoment(shown + DAY_MS)];
  } catch {
    return null;
  }
}

/** A moment, or a whole day as `YYYY-MM-DD`. */
export type DayOrTime = Date | string;

/** Returns the moment from which a filter counts: the time itself, or the beginning of the day in the zone. */
export const computeFilterStart = (from: DayOrTime, zone: string): Date =>
  typeof from === "string" ? computeStartOfDay(from, zone) : from;

/** Returns the moment before which a filter counts: the time itself, or the end of the day in the zone. */
export const computeFilterEnd = (to: DayOrTime, zone: string): Date =>
  typeof to === "string"
    ? computeStartOfDay(new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, "2026-03-14".length), zone)
    : to;

const computeStartOfDay = (day: string, zone: string): Date =>
  new Date(convertZonedTimeToUtc(`${day}T00:00`, zone) ?? day);

/**
 * Returns what a clock in the zone shows at `at`, read as a time in UTC. `at` and the result are in milliseconds since
 * 1970. The Swedish locale formats times like ISO 8601.
 * @throws RangeError for an unknown zone
 */
export const computeWallClockTimeAsUtcMs = (at: number, zone: string): number =>
  Date.parse(`${getZoneFormatter(zone).format(at).replace(" ", "T")}Z`);

const formatters = new Map<string, Intl.DateTimeFormat>();

function getZoneFormatter(timeZone: string): Intl.DateTimeFormat {
  const formatter = formatters.get(timeZone) ?? new Intl.DateTimeFormat("sv", { ...WALL_CLOCK, timeZone });
  formatters.set(timeZone, formatter);
  return formatter;
}

const WALL_CLOCK = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
} as const;
