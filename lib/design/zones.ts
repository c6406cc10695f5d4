/** Times of day as people read them off a clock, and the zones in which the clocks stand. */

/** Cities go by their present names, which Intl knows but doesn't list. */
const RENAMED: Readonly<Record<string, string>> = {
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
export const zoneNames = (): string[] =>
  Intl.supportedValuesOf("timeZone")
    .filter((name) => name !== "UTC")
    .map((name) => RENAMED[name] ?? name)
    .toSorted();

const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/;

/**
 * When a clock of this zone shows this time.
 * @param local "YYYY-MM-DDTHH:mm", as a field for a day and a time gives it
 * @returns ISO 8601 in UTC, or null where there is no such time or no such zone. Of an hour that a clock shows twice it
 * is one; in an hour that is left out the clock is taken to have run on.
 */
export function timeInZone(local: string, zone: string): string | null {
  const shown = LOCAL.test(local) ? Date.parse(`${local}Z`) : Number.NaN;
  // The 30th of February would be read as the second of March.
  if (Number.isNaN(shown) || !new Date(shown).toISOString().startsWith(local)) return null;
  try {
    const near = shown - aheadOfUtc(zone, shown);
    return new Date(shown - aheadOfUtc(zone, near)).toISOString();
  } catch {
    return null;
  }
}

/** By how many milliseconds the clocks of a zone are ahead of UTC at a time. @throws RangeError on an unknown zone. */
function aheadOfUtc(zone: string, at: number): number {
  const words = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" }).format(at);
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(words) ?? [];
  const ahead = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === "-" ? -ahead : ahead;
}
