import type { Locale } from "#lib/i18n/locales.ts";
import { formatDate } from "./time.ts";

const DAY = 24 * 3600 * 1000;

/** A day as a message takes it: "today", "yesterday", or "day" with a name for it. */
export type RelativeDay = { when: "today" | "yesterday" | "day"; day: string };

/**
 * A day in UTC as people say it: today, yesterday, "Friday" within the last week, and else "14 Mar 2026".
 * @param date "YYYY-MM-DD"
 */
export function formatRelativeDay(date: string, now: Date, locale: Locale): RelativeDay {
  const day = new Date(`${date}T00:00:00Z`);
  const ago = Math.floor(now.getTime() / DAY) - Math.floor(day.getTime() / DAY);
  if (ago === 0 || ago === 1) return { when: ago === 0 ? "today" : "yesterday", day: "" };
  const thisWeek = ago > 1 && ago < 7;
  return { when: "day", day: thisWeek ? formatWeekday(day, locale) : formatDate(day, locale) };
}

const formatWeekday = (day: Date, locale: Locale): string =>
  new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" }).format(day);
