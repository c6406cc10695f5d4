import { useTranslator } from "#i18n";
import { isolateBidi } from "#lib/design/bidi.ts";
import type { MessageKey } from "#lib/i18n/catalogue.ts";

type Props = {
  /** Hours within which the event promises a first reply. */
  answerWithinHours: number | null;
  /** "read" marks the first step, sending, as done: for after the report has arrived. */
  from?: "sent" | "read";
  /** The reporter is anonymous, so nobody can ask them questions or tell them the outcome. */
  anonymous?: boolean;
  /** Name of the escalation contact, who reads the report in place of the team. The event's promise isn't theirs. */
  contact?: string | null;
};

/** The steps in which a report is handled, with the known times. */
export function HandlingSteps({
  answerWithinHours,
  from = "sent",
  anonymous = false,
  contact = null,
}: Props) {
  const t = useTranslator("report");
  const time = useDurationText(answerWithinHours);
  const name = contact && isolateBidi(contact);
  const { read, within, work, done } = anonymous ? ANONYMOUS_STEP_KEYS : NAMED_STEP_KEYS;
  const steps = [
    { title: t("step.sent"), text: name ? t("step.sentContactHow", { name }) : t("step.sentHow") },
    {
      title: t(read),
      text: name ? t("step.readContactHow", { name }) : time ? t(within, { time }) : t(`${read}How`),
    },
    { title: t("step.work"), text: t(work) },
    { title: t(done), text: t(`${done}How`) },
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

const NAMED_STEP_KEYS = {
  read: "step.read",
  within: "step.readWithin",
  work: "step.workHow",
  done: "step.done",
} as const;

/**
 * Steps for an anonymous report: they promise no confirmation, question or outcome, which can't reach
 * anybody.
 */
const ANONYMOUS_STEP_KEYS = {
  read: "step.readNameless",
  within: "step.readNamelessWithin",
  work: "step.workNamelessHow",
  done: "step.doneNameless",
} as const;

/** Returns "24 hours", "3 days" in the reader's language; undefined if the event promises nothing. */
export function useDurationText(hours: number | null): string | undefined {
  const t = useTranslator("report");
  if (hours === null) return undefined;
  const inDays = hours > 24 && hours % 24 === 0;
  const unit: MessageKey<"report"> = inDays ? "days" : "hours";
  return t(unit, { count: inDays ? hours / 24 : hours });
}
