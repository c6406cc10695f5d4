import type { Locale } from "#lib/i18n/locales.ts";
import { DAY_MS } from "#lib/wall-clock.ts";
import { formatCalendarDate } from "./time.ts";

/** A day as the argument of a message: "today", "yesterday", or "day" with its name. */
type RelativeDay = { when: "today" | "yesterday" | "day"; day: string };

/**
 * Builds the values that name a day in UTC the way people say it: today, yesterday, "Friday" within the last week,
 * otherwise "14 Mar 2026".
 * @param date "YYYY-MM-DD"
 */
export function buildRelativeDayMessageValues(date: string, now: Date, locale: Locale): RelativeDay {
  const day = new Date(`${date}T00:00:00Z`);
  const ago = Math.floor(now.getTime() / DAY_MS) - Math.floor(day.getTime() / DAY_MS);
  if (ago === 0 || ago === 1) return { when: ago === 0 ? "today" : "yesterday", day: "" };
  const thisWeek = ago > 1 && ago < 7;
  return { when: "day", day: thisWeek ? formatWeekday(day, locale) : formatCalendarDate(date, locale) };
}

const formatWeekday = (day: Date, locale: Locale): string =>
  new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" }).format(day);
