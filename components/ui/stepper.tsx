import clsx from "clsx";
import { Check, Circle, CircleDot } from "lucide-react";
import { Icon } from "./icon.tsx";
import { VisuallyHidden } from "./visually-hidden.tsx";

type Props = {
  /** Names the list: "Progress", "Your report". */
  label: string;
  steps: readonly string[];
  /** Index of the step one is at. */
  current: number;
};

/** Where something stands on a way of a few steps. */
export function Stepper({ label, steps, current }: Props) {
  return (
    <ol aria-label={label} className="grid gap-x-2 gap-y-1 sm:auto-cols-fr sm:grid-flow-col">
      {steps.map((step, at) => (
        <Step key={step} name={step} place={at === current ? "current" : at < current ? "done" : "ahead"} />
      ))}
    </ol>
  );
}

type Place = keyof typeof PLACES;

function Step({ name, place }: { name: string; place: Place }) {
  const looks = PLACES[place];
  return (
    <li
      aria-current={place === "current" ? "step" : undefined}
      className={clsx("flex items-center gap-2 py-1 text-sm sm:border-t-[3px] sm:pt-2", looks.className)}
    >
      <Icon as={looks.icon} size={16} />
      <span>
        {name}
        <VisuallyHidden>{looks.word}</VisuallyHidden>
      </span>
    </li>
  );
}

const PLACES = {
  done: { className: "border-accent text-ink", icon: Check, word: ", done" },
  current: { className: "border-accent font-[650] text-accent", icon: CircleDot, word: ", current step" },
  ahead: { className: "border-line text-muted", icon: Circle, word: ", not reached" },
};
