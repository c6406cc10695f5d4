import { useLocale } from "#i18n";
import { createUtcTimeFormatOptions, formatDate } from "#lib/design/time.ts";

/** Returns a function that formats a day without a time of day: "2026-11-21", or the beginning of a UTC day. */
export function useDayFormatter(): (day: string) => string {
  const locale = useLocale();
  return (day) => formatDate(new Date(day), createUtcTimeFormatOptions(locale));
}
