import { exactDate } from "./time.ts";

const DAY = 24 * 3600 * 1000;
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/**
 * A day in UTC as people say it: "today", "yesterday", "on Friday" within the last week, and else "on 14 Mar 2026".
 * @param date "YYYY-MM-DD"
 */
export function dayInWords(date: string, now: Date): string {
  const day = new Date(`${date}T00:00:00Z`);
  const ago = Math.floor(now.getTime() / DAY) - Math.floor(day.getTime() / DAY);
  if (ago === 0) return "today";
  if (ago === 1) return "yesterday";
  if (ago > 1 && ago < 7) return `on ${WEEKDAYS[day.getUTCDay()]}`;
  return `on ${exactDate(day)}`;
}

const NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split(" ");

/** "two"; from thirteen on in digits. */
export const numberInWords = (count: number): string => NUMBERS[count] ?? String(count);
