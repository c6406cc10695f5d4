"use client";

import clsx from "clsx";
import { useTranslator } from "#i18n";
import { Icon } from "./icon.tsx";
import { VisuallyHidden } from "./visually-hidden.tsx";

type Props = {
  /** Label of the list: "Progress", "Your report". */
  label: string;
  steps: readonly string[];
  /** Index of the current step. */
  current: number;
  /** Which of the earlier steps were skipped; omitted if none was. */
  skipped?: readonly boolean[];
};

/** Shows the current one of a few steps, in one line; on narrow screens only the label of the current step. */
export function StepProgress({ label, steps, current, skipped = [] }: Props) {
  return (
    <ol aria-label={label} className="grid auto-cols-fr grid-flow-col gap-x-2">
      {steps.map((step, at) => (
        <Step
          key={step}
          name={step}
          place={at === current ? "current" : at > current ? "ahead" : skipped[at] ? "skipped" : "done"}
        />
      ))}
    </ol>
  );
}

type StepPosition = keyof typeof STEP_STYLES;

function Step({ name, place }: { name: string; place: StepPosition }) {
  const t = useTranslator("ui");
  const stepStyle = STEP_STYLES[place];
  return (
    <li
      aria-current={place === "current" ? "step" : undefined}
      className={clsx("flex min-w-0 items-center gap-2 border-t-[3px] pt-1 text-sm", stepStyle.className)}
    >
      <Icon as={stepStyle.icon} size={16} className="max-sm:hidden" />
      <span className="max-sm:sr-only">
        {name}
        <VisuallyHidden>{t(stepStyle.word)}</VisuallyHidden>
      </span>
    </li>
  );
}

const STEP_STYLES = {
  done: { className: "border-accent text-ink", icon: "check", word: "stepDone" },
  skipped: { className: "border-line text-muted", icon: "minus", word: "stepSkipped" },
  current: { className: "border-accent font-[650] text-accent", icon: "circle-dot", word: "stepCurrent" },
  ahead: { className: "border-line text-muted", icon: "circle", word: "stepAhead" },
} as const;
