/** Times of day as people read them off a clock, and the zones in which the clocks stand. */

/** Cities go by their present names, which Intl knows but doesn't list. */
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

/** The names of all zones but UTC, as the IANA spells them, in their order. */
export const listTimeZones = (): string[] =>
  Intl.supportedValuesOf("timeZone")
    .filter((name) => name !== "UTC")
    .map((name) => CURRENT_ZONE_NAMES[name] ?? name)
    .toSorted();

/**
 * When a clock of this zone shows this time.
 * @param local "YYYY-MM-DDTHH:mm", as a field for a day and a time gives it
 * @returns ISO 8601 in UTC, or null where there is no such time or no such zone. Of an hour that a clock shows twice it
 * is one; in an hour that is left out the clock is taken to have run on.
 */
export function zonedTimeToUtc(local: string, zone: string): string | null {
  const shown = Date.parse(`${local}Z`);
  try {
    // No day alone; and the 30th of February would be read as the second of March.
    if (local.length < 16 || !new Date(shown).toISOString().startsWith(local)) return null;
    const near = 2 * shown - readWallClock(shown, zone);
    return new Date(near + shown - readWallClock(near, zone)).toISOString();
  } catch {
    return null;
  }
}

/** What a clock of the zone shows at a time, as if it were UTC, both in milliseconds. Swedish writes times as ISO 8601 does. */
const readWallClock = (at: number, zone: string): number =>
  Date.parse(`${new Date(at).toLocaleString("sv", { timeZone: zone }).replace(" ", "T")}Z`);
