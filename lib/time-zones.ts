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

/** Lists the IANA names of all time zones except UTC, sorted. */
export const listTimeZones = (): string[] =>
  Intl.supportedValuesOf("timeZone")
    .filter((name) => name !== "UTC")
    .map((name) => CURRENT_ZONE_NAMES[name] ?? name)
    .toSorted();

/** Zones to suggest where the whole list would be too long: one or two for each offset that many people live in. */
export const COMMON_TIME_ZONES: readonly string[] = `
  Africa/Cairo Africa/Johannesburg Africa/Lagos Africa/Nairobi America/Bogota America/Chicago
  America/Denver America/Halifax America/Los_Angeles America/Mexico_City America/New_York
  America/Sao_Paulo Asia/Dhaka Asia/Dubai Asia/Jakarta Asia/Jerusalem Asia/Karachi Asia/Kolkata
  Asia/Shanghai Asia/Singapore Asia/Tokyo Australia/Sydney Europe/Athens Europe/Berlin Europe/Istanbul
  Europe/Lisbon Europe/London Europe/Madrid Europe/Paris Pacific/Auckland`
  .trim()
  .split(/\s+/);

/**
 * Finds the zone that somebody names: "Europe/Berlin" in any letter case and with spaces, a city such as "new york",
 * or "UTC". Offsets and abbreviations name none, because they don't say when the clocks change.
 * @returns the IANA name that was given, in its usual spelling, or its current one where a city's name has changed; null
 *   if there is none
 */
export function findTimeZoneByText(text: string): string | null {
  const name = text.trim().toLowerCase().replaceAll(/\s+/g, "_");
  if (name === "utc") return "UTC";
  if (!name.includes("/")) return findZoneOfCity(name);
  try {
    const zone = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    const current = CURRENT_ZONE_NAMES[zone] ?? zone;
    // Intl answers "America/Buenos_Aires" for "America/Argentina/Buenos_Aires".
    return [zone, current].some((known) => known.toLowerCase() === name) ? current : capitalizeZoneName(name);
  } catch {
    return null;
  }
}

/** "america/argentina/buenos_aires" as "America/Argentina/Buenos_Aires"; "us/pacific" as "US/Pacific". */
const capitalizeZoneName = (name: string): string =>
  name.replace(/^us(?=\/)|(?<=^|[/_-])[a-z]/g, (letters) => letters.toUpperCase());

const findZoneOfCity = (city: string): string | null =>
  listTimeZones().find((zone) => zone.toLowerCase().split("/").at(-1) === city) ?? null;
