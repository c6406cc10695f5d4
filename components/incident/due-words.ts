import { formatDuration, formatDateTime, formatRelativeTime } from "#lib/design/time.ts";
import { useLocale, useTranslator } from "#words";

/** What the team owes, and by when; times as in the API. */
export type Due = { for: "acknowledge" | "word"; at: string };
export type Awaiting = "reporter" | "team";

/**
 * Returns labels for what is due: "Due in 3 h" or "Overdue 2 h", or "Answer due in 3 h" if the reporter wrote
 * last; and a full sentence for the tooltip.
 */
export function useDueLabel(now: Date) {
  const t = useTranslator("due");
  const locale = useLocale();
  return (due: Due, awaiting: Awaiting | null): { over: boolean; when: string; title: string } => {
    const at = new Date(due.at);
    const isOverdue = at < now;
    const keyPrefix = awaiting === "team" ? "answer." : "";
    return {
      over: isOverdue,
      when: isOverdue
        ? t(`${keyPrefix}over`, { time: formatDuration(now.getTime() - at.getTime(), locale) })
        : t(`${keyPrefix}in`, { when: formatRelativeTime(at, now, locale) }),
      title: t("until", { what: t(`for.${due.for}`), time: formatDateTime(at, locale) }),
    };
  };
}
