import { DEFAULT_LOCALE, type Locale } from "#lib/i18n/locales.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "14 Mar 2026, 14:02 UTC". English is written out by hand: its dates differ from one Intl to the next. */
export const exactTime = (at: Date, locale: Locale = DEFAULT_LOCALE): string => `${inUtc(at, locale)} UTC`;

function inUtc(at: Date, locale: Locale): string {
  if (locale === "en") return `${exactDate(at)}, ${at.toISOString().slice(11, 16)}`;
  return formatterOf(locale, { ...DATE, hour: "2-digit", minute: "2-digit" }).format(at);
}

/** "14 Mar 2026, 14:02" of "2026-03-14T14:02", a time without its zone; what is no time stays as it is. */
export function localTime(local: string, locale: Locale = DEFAULT_LOCALE): string {
  const at = new Date(`${local}Z`);
  return Number.isNaN(at.getTime()) ? local : inUtc(at, locale);
}

/** "14 Mar 2026", the day in UTC. */
export function exactDate(at: Date, locale: Locale = DEFAULT_LOCALE): string {
  if (locale === "en") return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
  return formatterOf(locale, DATE).format(at);
}

/** "Mar 2026" of "2026-03". */
export function monthName(month: string, locale: Locale = DEFAULT_LOCALE): string {
  const name = MONTHS[Number(month.slice(5, 7)) - 1];
  if (locale === "en" || !name) return `${name ?? ""} ${month.slice(0, 4)}`.trim();
  return formatterOf(locale, { year: "numeric", month: "short" }).format(new Date(`${month.slice(0, 7)}-01`));
}

/**
 * How long ago, or how far ahead, in the largest unit that says enough: "just now", "12 min ago", "3 h ago",
 * "in 5 h", "6 days ago". From 30 days on, the date.
 */
export function relativeTime(at: Date, now: Date, locale: Locale = DEFAULT_LOCALE): string {
  const away = Math.abs(now.getTime() - at.getTime());
  if (away >= 30 * DAY) return exactDate(at, locale);
  if (locale !== "en") return distance(away, { locale, ahead: at > now });
  if (away < MINUTE) return "just now";
  const words = duration(away);
  return at > now ? `in ${words}` : `${words} ago`;
}

/** How long, in the largest unit that says enough: "40 min", "2 h", "6 days". */
export function durationText(milliseconds: number, locale: Locale = DEFAULT_LOCALE): string {
  if (locale === "en") return duration(milliseconds);
  const [unit, size] = UNITS.find(([, least]) => milliseconds >= least) ?? SMALLEST;
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short" }).format(
    Math.floor(milliseconds / size),
  );
}

const SMALLEST = ["minute", MINUTE] as const;
const UNITS = [["day", DAY], ["hour", HOUR], SMALLEST] as const;

function duration(milliseconds: number): string {
  if (milliseconds < HOUR) return `${Math.floor(milliseconds / MINUTE)} min`;
  if (milliseconds < DAY) return `${Math.floor(milliseconds / HOUR)} h`;
  const days = Math.floor(milliseconds / DAY);
  return days === 1 ? "1 day" : `${days} days`;
}

const DATE = { day: "numeric", month: "short", year: "numeric" } as const;

const dates = new Map<string, Intl.DateTimeFormat>();

function formatterOf(locale: Locale, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${Object.keys(options).join(" ")}`;
  const made = dates.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });
  dates.set(key, made);
  return made;
}

const distances = new Map<Locale, Intl.RelativeTimeFormat>();

function distance(away: number, { locale, ahead }: { locale: Locale; ahead: boolean }): string {
  const words = distances.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  distances.set(locale, words);
  const signed = (count: number) => (ahead ? count : -count);
  if (away < MINUTE) return words.format(0, "second");
  if (away < HOUR) return words.format(signed(Math.floor(away / MINUTE)), "minute");
  if (away < DAY) return words.format(signed(Math.floor(away / HOUR)), "hour");
  return words.format(signed(Math.floor(away / DAY)), "day");
}
