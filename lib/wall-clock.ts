const DAY = 24 * 3600 * 1000;

/**
 * Returns the moment at which a clock in this zone shows this time.
 * @param local "YYYY-MM-DDTHH:mm", as a datetime field submits it
 * @returns ISO 8601 in UTC, or null if the time or the zone doesn't exist. In a repeated hour, returns the first
 *   of the two moments; in a skipped hour, assumes that the clock hasn't changed yet.
 */
export function convertZonedTimeToUtc(local: string, zone: string): string | null {
  const shown = Date.parse(`${local}Z`);
  try {
    // Rejects a date without a time, and days that don't exist: February 30 would be parsed as March 2.
    if (local.length < 16 || !new Date(shown).toISOString().startsWith(local)) return null;
    // Clocks change at most once in two days, so one of these offsets from UTC holds at that time.
    const momentByClockAt = (at: number) => shown - (computeWallClockTimeAsUtcMs(at, zone) - at);
    const [before, after] = [momentByClockAt(shown - DAY), momentByClockAt(shown + DAY)];
    return new Date(
      [before, after].find((at) => computeWallClockTimeAsUtcMs(at, zone) === shown) ?? before,
    ).toISOString();
  } catch {
    return null;
  }
}

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
