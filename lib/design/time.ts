import { DEFAULT_LOCALE, type Locale } from "#lib/i18n/locales.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Formats as "14 Mar 2026, 14:02 UTC". English is hard-coded, because its dates differ between versions of Intl. */
export const formatDateTime = (at: Date, locale: Locale = DEFAULT_LOCALE): string =>
  `${formatInUtc(at, locale)} UTC`;

function formatInUtc(at: Date, locale: Locale): string {
  if (locale === "en") return `${formatDate(at)}, ${at.toISOString().slice(11, 16)}`;
  return dateFormatterFor(locale, { ...DATE_OPTIONS, hour: "2-digit", minute: "2-digit" }).format(at);
}

/** Formats a time without a zone: "2026-03-14T14:02" as "14 Mar 2026, 14:02". Returns an invalid time unchanged. */
export function formatZonelessTime(local: string, locale: Locale = DEFAULT_LOCALE): string {
  const at = new Date(`${local}Z`);
  return Number.isNaN(at.getTime()) ? local : formatInUtc(at, locale);
}

/** Formats the day in UTC: "14 Mar 2026". */
export function formatDate(at: Date, locale: Locale = DEFAULT_LOCALE): string {
  if (locale === "en") return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
  return dateFormatterFor(locale, DATE_OPTIONS).format(at);
}

/** Formats "2026-03" as "Mar 2026". */
export function formatMonth(month: string, locale: Locale = DEFAULT_LOCALE): string {
  const name = MONTHS[Number(month.slice(5, 7)) - 1];
  if (locale === "en" || !name) return `${name ?? ""} ${month.slice(0, 4)}`.trim();
  return dateFormatterFor(locale, { year: "numeric", month: "short" }).format(
    new Date(`${month.slice(0, 7)}-01`),
  );
}

/**
 * Formats the distance to a time, past or future, in the largest fitting unit: "just now", "12 min ago", "3 h ago", "in
 * 5 h", "6 days ago". From 30 days on, returns the date.
 */
export function formatRelativeTime(at: Date, now: Date, locale: Locale = DEFAULT_LOCALE): string {
  const distanceMs = Math.abs(now.getTime() - at.getTime());
  if (distanceMs >= 30 * DAY) return formatDate(at, locale);
  if (locale !== "en") return formatDistance(distanceMs, { locale, ahead: at > now });
  if (distanceMs < MINUTE) return "just now";
  const duration = formatEnglishDuration(distanceMs);
  return at > now ? `in ${duration}` : `${duration} ago`;
}

/** Formats a duration in the largest fitting unit: "40 min", "2 h", "6 days". */
export function formatDuration(milliseconds: number, locale: Locale = DEFAULT_LOCALE): string {
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

const DATE_OPTIONS = { day: "numeric", month: "short", year: "numeric" } as const;

const dateFormatters = new Map<string, Intl.DateTimeFormat>();

function dateFormatterFor(locale: Locale, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${Object.keys(options).join(" ")}`;
  const formatter =
    dateFormatters.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });
  dateFormatters.set(key, formatter);
  return formatter;
}

const relativeFormatters = new Map<Locale, Intl.RelativeTimeFormat>();

function formatDistance(distanceMs: number, { locale, ahead }: { locale: Locale; ahead: boolean }): string {
  const formatter =
    relativeFormatters.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  relativeFormatters.set(locale, formatter);
  const signed = (count: number) => (ahead ? count : -count);
  if (distanceMs < MINUTE) return formatter.format(0, "second");
  if (distanceMs < HOUR) return formatter.format(signed(Math.floor(distanceMs / MINUTE)), "minute");
  if (distanceMs < DAY) return formatter.format(signed(Math.floor(distanceMs / HOUR)), "hour");
  return formatter.format(signed(Math.floor(distanceMs / DAY)), "day");
}
