/** Wall-clock times and time zones. */

/** Current names of cities, which Intl accepts but doesn't list. */
const CURRENT_ZONE_NAMES: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Godthab": "America/Nuuk",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};

/** Lists all time zones except UTC by their IANA names, in their order. */
export const listTimeZones = (): string[] =>
  Intl.supportedValuesOf("timeZone")
    .filter((name) => name !== "UTC")
    .map((name) => CURRENT_ZONE_NAMES[name] ?? name)
    .toSorted();

/**
 * Returns the moment at which a clock in this zone shows this time.
 * @param local "YYYY-MM-DDTHH:mm", as a datetime field submits it
 * @returns ISO 8601 in UTC, or null if the time or the zone doesn't exist. In a repeated hour, returns one of the two
 *   moments; in a skipped hour, assumes that the clock hadn't changed.
 */
export function zonedTimeToUtc(local: string, zone: string): string | null {
  const shown = Date.parse(`${local}Z`);
  try {
    // Rejects a date without a time; and February 30 would be parsed as March 2.
    if (local.length < 16 || !new Date(shown).toISOString().startsWith(local)) return null;
    const near = 2 * shown - readWallClock(shown, zone);
    return new Date(near + shown - readWallClock(near, zone)).toISOString();
  } catch {
    return null;
  }
}

/**
 * Returns what a clock in the zone shows, as if it were UTC; both in milliseconds. The Swedish locale formats times
 * like ISO 8601.
 */
const readWallClock = (at: number, zone: string): number =>
  Date.parse(`${new Date(at).toLocaleString("sv", { timeZone: zone }).replace(" ", "T")}Z`);
