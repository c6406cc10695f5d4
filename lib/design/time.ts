import { DEFAULT_LOCALE, type Locale } from "#lib/i18n/locales.ts";
import { computeWallClockTimeAsUtcMs } from "#lib/wall-clock.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const QUARTER_HOUR = 15 * MINUTE;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The language and the IANA time zone in which times are written. */
export type TimeFormatOptions = { locale: Locale; timeZone: string };

/** Creates the options for days and months that are counted in UTC, and for dates without a time of day. */
export const createUtcTimeFormatOptions = (locale: Locale = DEFAULT_LOCALE): TimeFormatOptions => ({
  locale,
  timeZone: "UTC",
});

/**
 * Formats as "14 Mar 2026, 15:02 CET", with the zone's short name. English is hard-coded, because its dates differ
 * between versions of Intl.
 */
export const formatDateTime = (at: Date, { locale, timeZone }: TimeFormatOptions): string =>
  `${formatShownTime(toWallClock(at, timeZone), locale)} ${formatShortZoneName(at, { locale, timeZone })}`;

/** A date whose UTC members are what a clock in the zone shows. */
const toWallClock = (at: Date, timeZone: string): Date =>
  timeZone === "UTC" ? at : new Date(computeWallClockTimeAsUtcMs(at.getTime(), timeZone));

function formatShownTime(shown: Date, locale: Locale): string {
  if (locale === "en") return `${formatShownDay(shown, locale)}, ${shown.toISOString().slice(11, 16)}`;
  return getDateFormatter(locale, { ...DATE_OPTIONS, ...TIME_OPTIONS }).format(shown);
}

/** Formats the time of day: "15:02 CET". */
export const formatTimeOfDay = (at: Date, format: TimeFormatOptions): string =>
  `${formatZonelessTimeOfDay(at, format)} ${formatShortZoneName(at, format)}`;

const formatZonelessTimeOfDay = (at: Date, { locale, timeZone }: TimeFormatOptions): string =>
  getDateFormatter(locale === "en" ? "en-GB" : locale, TIME_OPTIONS).format(toWallClock(at, timeZone));

/**
 * Returns whether a time is the beginning of a quarter of an hour, to which the times of reports without their
 * reporter's name are rounded (contract 7.3).
 */
export const isQuarterHour = (at: Date | string): boolean => new Date(at).getTime() % QUARTER_HOUR === 0;

/** Returns whether a time is in a later quarter of an hour than another, as far as rounded times can tell. */
export const isInLaterQuarterHour = (at: Date | string, earlier: Date | string): boolean =>
  getQuarterHour(new Date(at)) > getQuarterHour(new Date(earlier));

const getQuarterHour = (at: Date): number => Math.floor(at.getTime() / QUARTER_HOUR);

/**
 * Formats the span that a rounded time stands for: from it to the end of its quarter, "14 Mar 2026, 15:30–15:45 CET".
 */
export const formatDateAndQuarterHourSpan = (at: Date, format: TimeFormatOptions): string =>
  `${formatShownTime(toWallClock(at, format.timeZone), format.locale)}–${formatQuarterEnd(at, format)} ${formatShortZoneName(at, format)}`;

const formatQuarterEnd = (at: Date, format: TimeFormatOptions): string =>
  formatZonelessTimeOfDay(new Date((getQuarterHour(at) + 1) * QUARTER_HOUR), format);

/**
 * Returns whether a rounded time is so recent that a relative time, such as "5 minutes ago", would be wrong by minutes;
 * its span is shown instead.
 */
export const isTooRecentForRelativeTime = (at: Date, now: Date): boolean =>
  Math.abs(now.getTime() - at.getTime()) < HOUR;

/** Like `formatRelativeTime`, for a rounded time: "15:30–15:45" within the first hour. */
export const formatRelativeTimeOrQuarterHour = (at: Date, now: Date, format: TimeFormatOptions): string =>
  isTooRecentForRelativeTime(at, now)
    ? `${formatZonelessTimeOfDay(at, format)}–${formatQuarterEnd(at, format)}`
    : formatRelativeTime(at, now, format);

/**
 * Formats a time without a zone: "2026-03-14T14:02" as "14 Mar 2026, 14:02". Returns an invalid time unchanged. It
 * is part of the report form's script, so it doesn't use the larger code that the other formats share.
 */
export function formatWallClockDateTime(local: string, locale: Locale = DEFAULT_LOCALE): string {
  const at = new Date(`${local}Z`);
  if (Number.isNaN(at.getTime())) return local;
  const options = { ...DATE_OPTIONS, ...TIME_OPTIONS, timeZone: "UTC" };
  return new Intl.DateTimeFormat(locale === "en" ? "en-GB" : locale, options).format(at);
}

/** Formats the day of a time in the zone: "14 Mar 2026". */
export const formatDate = (at: Date, { locale, timeZone }: TimeFormatOptions): string =>
  formatShownDay(toWallClock(at, timeZone), locale);

/** Formats a date without a time of day: "2026-03-14" as "14 Mar 2026". */
export const formatCalendarDate = (day: string, locale: Locale): string =>
  formatShownDay(new Date(`${day}T00:00:00Z`), locale);

function formatShownDay(shown: Date, locale: Locale): string {
  if (locale === "en")
    return `${shown.getUTCDate()} ${MONTHS[shown.getUTCMonth()]} ${shown.getUTCFullYear()}`;
  return getDateFormatter(locale, DATE_OPTIONS).format(shown);
}

/** Formats a day without its year, where the page names the period elsewhere: "2026-03-14" as "14 Mar". */
export function formatCalendarDateWithoutYear(day: string, locale: Locale): string {
  const at = new Date(`${day}T00:00:00Z`);
  if (locale === "en") return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]}`;
  return getDateFormatter(locale, { day: "numeric", month: "short" }).format(at);
}

/** Formats "2026-03" as "Mar 2026". */
export function formatMonthAndYear(month: string, locale: Locale = DEFAULT_LOCALE): string {
  const name = MONTHS[Number(month.slice(5, 7)) - 1];
  if (locale === "en" || !name) return `${name ?? ""} ${month.slice(0, 4)}`.trim();
  return getDateFormatter(locale, { year: "numeric", month: "short" }).format(
    new Date(`${month.slice(0, 7)}-01`),
  );
}

/**
 * Formats the distance to a time, past or future, in the largest fitting unit: "just now", "12 min ago", "3 h ago", "in
 * 5 h", "6 days ago". From 30 days on, returns the date.
 */
export function formatRelativeTime(at: Date, now: Date, format: TimeFormatOptions): string {
  const { locale } = format;
  const distanceMs = Math.abs(now.getTime() - at.getTime());
  if (distanceMs >= 30 * DAY) return formatDate(at, format);
  if (locale !== "en") return formatDistance(distanceMs, { locale, ahead: at > now });
  if (distanceMs < MINUTE) return "just now";
  const duration = formatEnglishDuration(distanceMs);
  return at > now ? `in ${duration}` : `${duration} ago`;
}

/** Formats a duration in the largest fitting unit: "40 min", "2 h", "6 days". */
export function formatDuration(milliseconds: number, locale: Locale): string {
  if (locale === "en") return formatEnglishDuration(milliseconds);
  const [unit, size] = UNITS.find(([, least]) => milliseconds >= least) ?? SMALLEST;
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short" }).format(
    Math.floor(milliseconds / size),
  );
}

const SMALLEST = ["minute", MINUTE] as const;
const UNITS = [["day", DAY], ["hour", HOUR], SMALLEST] as const;

function formatEnglishDuration(milliseconds: number): string {
  if (milliseconds < HOUR) return `${Math.floor(milliseconds / MINUTE)} min`;
  if (milliseconds < DAY) return `${Math.floor(milliseconds / HOUR)} h`;
  const days = Math.floor(milliseconds / DAY);
  return days === 1 ? "1 day" : `${days} days`;
}

/**
 * The locales to try, in this order, for the abbreviation of a zone. Each knows only the abbreviations of its region:
 * "EST" in the US, "CET" in Europe, "NZDT" in New Zealand.
 */
const ENGLISH_REGIONS = ["en-US", "en-GB", "en-CA", "en-AU", "en-NZ", "en-IN", "en-ZA"];
const OFFSET_PATTERN = /\d/;

/**
 * Returns the zone's short name at this moment: "CET", in summer "CEST", "MEZ" in German; "GMT-3" where it has none.
 */
function formatShortZoneName(at: Date, { locale, timeZone }: TimeFormatOptions): string {
  if (timeZone === "UTC") return "UTC";
  // The name follows from the offset from UTC, and finding it costs several formatters.
  const key = `${locale} ${timeZone} ${computeWallClockTimeAsUtcMs(at.getTime(), timeZone) - Math.floor(at.getTime() / 1000) * 1000}`;
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
  getDateFormatter(locale, { timeZoneName: "short" }, timeZone)
    .formatToParts(at)
    .find(({ type }) => type === "timeZoneName")?.value ?? timeZone;

/** Formats the name of a zone for people: "America/New York". */
export const formatZoneName = (timeZone: string): string => timeZone.replaceAll("_", " ");

const TIME_OPTIONS = { hour: "2-digit", minute: "2-digit" } as const;
const DATE_OPTIONS = { day: "numeric", month: "short", year: "numeric" } as const;

const dateFormatters = new Map<string, Intl.DateTimeFormat>();

function getDateFormatter(
  locale: string,
  options: Intl.DateTimeFormatOptions,
  timeZone = "UTC",
): Intl.DateTimeFormat {
  const key = [locale, timeZone, ...Object.keys(options)].join(" ");
  const formatter = dateFormatters.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone });
  dateFormatters.set(key, formatter);
  return formatter;
}

const relativeFormatters = new Map<Locale, Intl.RelativeTimeFormat>();

function formatDistance(distanceMs: number, { locale, ahead }: { locale: Locale; ahead: boolean }): string {
  if (distanceMs < MINUTE)
    return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(0, "second");
  // A distance is elapsed time, and "tomorrow" would be a day of the calendar: 47 hours end the day after it.
  const formatter =
    relativeFormatters.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: "always" });
  relativeFormatters.set(locale, formatter);
  const signed = (count: number) => (ahead ? count : -count);
  if (distanceMs < HOUR) return formatter.format(signed(Math.floor(distanceMs / MINUTE)), "minute");
  if (distanceMs < DAY) return formatter.format(signed(Math.floor(distanceMs / HOUR)), "hour");
  return formatter.format(signed(Math.floor(distanceMs / DAY)), "day");
}
