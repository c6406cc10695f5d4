import { durationText, exactTime, relativeTime } from "#lib/design/time.ts";
import { useLocale, useWords } from "#words";

/** What the team owes, and until when; times as the API writes them. */
export type Due = { for: "acknowledge" | "word"; at: string };
export type Awaiting = "reporter" | "team";

/**
 * Puts what is due into words: "Due in 3 h" or "Overdue 2 h", where the reporter wrote last "Answer due in 3 h"; and in
 * full for what is pointed at.
 */
export function useDueWords(now: Date) {
  const t = useWords("due");
  const locale = useLocale();
  return (due: Due, awaiting: Awaiting | null): { over: boolean; when: string; title: string } => {
    const at = new Date(due.at);
    const over = at < now;
    const answer = awaiting === "team" ? "answer." : "";
    return {
      over,
      when: over
        ? t(`${answer}over`, { time: durationText(now.getTime() - at.getTime(), locale) })
        : t(`${answer}in`, { when: relativeTime(at, now, locale) }),
      title: t("until", { what: t(`for.${due.for}`), time: exactTime(at, locale) }),
    };
  };
}
