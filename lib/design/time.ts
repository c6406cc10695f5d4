const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "14 Mar 2026, 14:02 UTC". Written out by hand, so that server and browser never differ by locale data. */
export function exactTime(at: Date): string {
  return `${exactDate(at)}, ${at.toISOString().slice(11, 16)} UTC`;
}

/** "14 Mar 2026", the day in UTC. */
export function exactDate(at: Date): string {
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

/** "Mar 2026" of "2026-03". */
export function monthName(month: string): string {
  return `${MONTHS[Number(month.slice(5, 7)) - 1] ?? ""} ${month.slice(0, 4)}`.trim();
}

/**
 * How long ago, or how far ahead, in the largest unit that says enough: "just now", "12 min ago", "3 h ago",
 * "in 5 h", "6 days ago". From 30 days on, the date.
 */
export function relativeTime(at: Date, now: Date): string {
  const away = Math.abs(now.getTime() - at.getTime());
  if (away < MINUTE) return "just now";
  if (away >= 30 * DAY) return exactDate(at);
  const words = duration(away);
  return at > now ? `in ${words}` : `${words} ago`;
}

function duration(milliseconds: number): string {
  if (milliseconds < HOUR) return `${Math.floor(milliseconds / MINUTE)} min`;
  if (milliseconds < DAY) return `${Math.floor(milliseconds / HOUR)} h`;
  const days = Math.floor(milliseconds / DAY);
  return days === 1 ? "1 day" : `${days} days`;
}
