import { useTranslator } from "#i18n";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { MessageKey } from "#lib/i18n/catalogue.ts";

type Props = {
  /** Hours within which the event promises a first reply. */
  answerWithinHours: number | null;
  /** "read" marks the first step, sending, as done: for after the report has arrived. */
  from?: "sent" | "read";
  /** Name of the outside person, who reads the report in place of the team. The event's promise isn't theirs. */
  outsidePerson?: string | null;
};

/**
 * The steps in which a report is handled, with the known times. They are the same with and without a name: somebody
 * without one is reached through the mailbox of the report.
 */
export function ReportHandlingSteps({ answerWithinHours, from = "sent", outsidePerson = null }: Props) {
  const t = useTranslator("report");
  const time = useHoursOrDaysText(answerWithinHours);
  const name = outsidePerson && isolateBidi(outsidePerson);
  const steps = [
    { title: t("step.sent"), text: name ? t("step.sentOutsidePersonHow", { name }) : t("step.sentHow") },
    {
      title: t("step.read"),
      text: name
        ? t("step.readOutsidePersonHow", { name })
        : time
          ? t("step.readWithin", { time })
          : t("step.readHow"),
    },
    { title: t("step.work"), text: name ? t("step.workOutsidePersonHow", { name }) : t("step.workHow") },
    { title: t("step.done"), text: t("step.doneHow") },
  ];
  return (
    <ol className="grid gap-5">
      {steps.map(({ title, text }, at) => (
        <li key={title} className="flex gap-4">
          <span
            aria-hidden="true"
            className={`grid size-8 shrink-0 place-items-center rounded-full border-2 border-accent font-[650] tabular-nums ${
              at === 0 && from === "read" ? "bg-accent text-accent-ink" : "text-accent"
            }`}
          >
            {at + 1}
          </span>
          <div className="grid max-w-[60ch] gap-0.5">
            <p className="pt-0.5 font-[650]">{title}</p>
            <p className="text-muted">{text}</p>
          </div>
        </li>
      ))}
    </ol>
  );
}

/** Returns "24 hours", "3 days" in the reader's language; undefined if the event promises nothing. */
export function useHoursOrDaysText(hours: number | null): string | undefined {
  const t = useTranslator("report");
  if (hours === null) return undefined;
  const inDays = hours > 24 && hours % 24 === 0;
  const unit: MessageKey<"report"> = inDays ? "days" : "hours";
  return t(unit, { count: inDays ? hours / 24 : hours });
}
