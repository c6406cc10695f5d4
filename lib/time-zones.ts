/** Wall-clock times and time zones. */

const DAY = 24 * 3600 * 1000;

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
 * Finds the zone that somebody names: "Europe/Berlin" in any letter case and with spaces, a city such as "new york",
 * or "UTC". Offsets and abbreviations name none, because they don't say when the clocks change.
 * @returns the IANA name in use today; null if there is none
 */
export function resolveTimeZone(text: string): string | null {
  const name = text.trim().toLowerCase().replaceAll(/\s+/g, "_");
  if (name === "utc") return "UTC";
  if (!name.includes("/")) return findZoneOfCity(name);
  try {
    const zone = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    return CURRENT_ZONE_NAMES[zone] ?? zone;
  } catch {
    return null;
  }
}

const findZoneOfCity = (city: string): string | null =>
  listTimeZones().find((zone) => zone.toLowerCase().split("/").at(-1) === city) ?? null;

/** Where English, per region, has an abbreviation for a zone: "EST" in the US, "CET" in Europe, "NZDT" in New Zealand. */
const ENGLISH_REGIONS = ["en-US", "en-GB", "en-CA", "en-AU", "en-NZ", "en-IN", "en-ZA"];
const OFFSET_PATTERN = /\d/;

/** Returns the zone's short name at this moment: "CET", in summer "CEST", "MEZ" in German; "GMT-3" where it has none. */
export function formatShortZoneName(
  at: Date,
  { locale, timeZone }: { locale: string; timeZone: string },
): string {
  if (timeZone === "UTC") return "UTC";
  // The name follows from the offset from UTC, and finding it costs several formatters.
  const key = `${locale} ${timeZone} ${readWallClock(at.getTime(), timeZone) - Math.floor(at.getTime() / 1000) * 1000}`;
  const known = shortNames.get(key) ?? findShortName(at, locale, timeZone);
  shortNames.set(key, known);
  return known;
}

const shortNames = new Map<string, string>();

function findShortName(at: Date, locale: string, timeZone: string): string {
  const names = (locale === "en" ? ENGLISH_REGIONS : [locale, ...ENGLISH_REGIONS]).values();
  for (const name of names) {
    const short = readShortName(at, name, timeZone);
    if (!OFFSET_PATTERN.test(short)) return short;
  }
  return readShortName(at, "en-US", timeZone);
}

const readShortName = (at: Date, locale: string, timeZone: string): string =>
  formatterFor(locale, timeZone, { timeZoneName: "short" })
    .formatToParts(at)
    .find(({ type }) => type === "timeZoneName")?.value ?? timeZone;

/** Formats the name of a zone for people: "America/New York". */
export const formatZoneName = (timeZone: string): string => timeZone.replaceAll("_", " ");

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterFor(
  locale: string,
  timeZone: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const key = [locale, timeZone, ...Object.keys(options)].join(" ");
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone });
  formatters.set(key, formatter);
  return formatter;
}

/**
 * Returns the moment at which a clock in this zone shows this time.
 * @param local "YYYY-MM-DDTHH:mm", as a datetime field submits it
 * @returns ISO 8601 in UTC, or null if the time or the zone doesn't exist. In a repeated hour, returns the first
 *   of the two moments; in a skipped hour, assumes that the clock hasn't changed yet.
 */
export function zonedTimeToUtc(local: string, zone: string): string | null {
  const shown = Date.parse(`${local}Z`);
  try {
    // Rejects a date without a time; and February 30 would be parsed as March 2.
    if (local.length < 16 || !new Date(shown).toISOString().startsWith(local)) return null;
    // Clocks change at most once in two days, so one of these offsets from UTC holds at that time.
    const [before, after] = [shown - DAY, shown + DAY].map((at) => readWallClock(at, zone) - at) as [
      number,
      number,
    ];
    const moments = [shown - before, shown - after].filter((at) => readWallClock(at, zone) === shown);
    return new Date(Math.min(...(moments.length > 0 ? moments : [shown - before]))).toISOString();
  } catch {
    return null;
  }
}

/** Returns what a clock in the zone shows at this moment: "YYYY-MM-DDTHH:mm", as a datetime field takes it. */
export const toZonedMinute = (at: Date, zone: string): string =>
  new Date(readWallClock(at.getTime(), zone)).toISOString().slice(0, 16);

/** Returns the day that a calendar in the zone shows at this moment: "YYYY-MM-DD". */
export const toZonedDay = (at: Date, zone: string): string => toZonedMinute(at, zone).slice(0, 10);

/**
 * Returns what a clock in the zone shows, as if it were UTC; both in milliseconds. The Swedish locale formats times
 * like ISO 8601.
 * @throws RangeError for a zone that doesn't exist
 */
export const readWallClock = (at: number, zone: string): number =>
  Date.parse(`${formatterFor("sv", zone, WALL_CLOCK).format(at).replace(" ", "T")}Z`);

const WALL_CLOCK = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
} as const;
