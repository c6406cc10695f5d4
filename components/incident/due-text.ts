import {
  formatDuration,
  formatDateTime,
  formatRelativeTime,
  type TimeFormatOptions,
} from "#lib/design/time.ts";
import type { Translator } from "#components/i18n/translator.ts";
import { useTimeFormatOptions, useTranslator } from "#i18n";

/** The team's next deadline: whether it has to acknowledge the report or send an update. Times as in the API. */
export type ResponseDeadlineJson = { for: "acknowledge" | "update"; at: string };
export type AwaitedReplyParty = "reporter" | "team";

/** `when` stands alone; `full` also says what is due; `title` is a full sentence for the tooltip. */
type DueLabel = { over: boolean; when: string; full: string; title: string };

/**
 * Returns a function that labels a deadline: "Due in 3 h", "Overdue by 2 h" or, within a minute, "Due now"; in full "Next
 * update due in 3 h", or "Reply due in 3 h" if the reporter wrote last.
 */
export const useDueLabelFormatter = (now: Date) =>
  createDueLabelFormatter({ t: useTranslator("due"), format: useTimeFormatOptions(), now });

/** Closer deadlines are due now: durations count whole minutes. */
const MINUTE_MS = 60_000;

type DueContext = { t: Translator<"due">; format: TimeFormatOptions; now: Date };

/** Like `useDueLabelFormatter`, outside components. */
export function createDueLabelFormatter({ t, format, now }: DueContext) {
  return (due: ResponseDeadlineJson, awaiting: AwaitedReplyParty | null): DueLabel => {
    const at = new Date(due.at);
    const isOverdue = at < now;
    const distanceMs = Math.abs(now.getTime() - at.getTime());
    const label = (prefix: "" | "answer." | "acknowledge." | "update."): string => {
      if (distanceMs < MINUTE_MS) return t(`${prefix}now`);
      return isOverdue
        ? t(`${prefix}over`, { time: formatDuration(distanceMs, format.locale) })
        : t(`${prefix}in`, { when: formatRelativeTime(at, now, format) });
    };
    const isReplyDue = awaiting === "team";
    return {
      over: isOverdue,
      when: label(isReplyDue ? "answer." : ""),
      full: label(isReplyDue ? "answer." : `${due.for}.`),
      title: t("until", { what: t(`for.${due.for}`), time: formatDateTime(at, format) }),
    };
  };
}
