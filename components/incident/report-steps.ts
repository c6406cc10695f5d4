"use client";

import { createContext, type RefObject, use, useCallback, useEffect, useRef, useState } from "react";
import { CONTENT, goToContent } from "#components/shell/go-to-content.ts";
import { useScripted } from "#components/ui/scripted.ts";
import { STEPS } from "./report-fields.ts";
import { depthIn } from "./traces.ts";

export type Step = keyof typeof STEPS;

const ORDER = Object.keys(STEPS) as Step[];

/** The first screen with a field about which there is something to say. */
export const stepWith = (fields: readonly string[]): Step | undefined =>
  ORDER.find((step) => STEPS[step].some((name) => fields.includes(name)));

export type Steps = {
  /** False without script: there are no steps then. */
  scripted: boolean;
  step: Step;
  /** Which of how many, the start not counted. */
  at: number;
  of: number;
  /** The summary was seen: what is changed from there leads back to it. */
  checked: boolean;
  next: Step;
  go: (step: Step) => void;
  back: () => void;
};

/**
 * Where one is in the form. Each step is an entry of the history, so the browser's "Back" leads one step back; the
 * address stays the same.
 */
export function useSteps(first: Step): Steps {
  const scripted = useScripted();
  const [step, setStep] = useState<Step>(first);
  const [checked, setChecked] = useState(false);
  const depth = useRef(0);
  const here = useRef<Kept>({ state: null, step: first });

  useEffect(() => {
    // After a reload the words are gone, but not the entries of the steps behind this one.
    depth.current = depthIn(history.state);
    here.current = remember("replaceState", { state: history.state, step: first }, depth.current);
    const back = (event: PopStateEvent) => {
      const step = stepIn(event.state);
      if (!step) {
        // A link within the page, such as the one to its content, has made an entry: the step stays.
        depth.current += 1;
        remember("replaceState", here.current, depth.current);
        return;
      }
      depth.current = depthIn(event.state);
      here.current = { state: event.state, step };
      setStep(step);
    };
    window.addEventListener("popstate", back);
    return () => window.removeEventListener("popstate", back);
  }, [first]);

  useSkipLink();

  const go = useCallback((to: Step) => {
    depth.current += 1;
    here.current = remember("pushState", { state: history.state, step: to }, depth.current);
    setStep(to);
    if (to === "check") setChecked(true);
  }, []);

  const at = ORDER.indexOf(step);
  const next = checked ? "check" : (ORDER[at + 1] ?? "check");
  return { scripted, step, at, of: ORDER.length - 1, checked, next, go, back: () => history.back() };
}

/** The frame around the form sends no script, so the form sees to its skip link: an entry of that would be a step. */
function useSkipLink(): void {
  useEffect(() => {
    const link = document.querySelector(`a[href="#${CONTENT}"]`);
    link?.addEventListener("click", goToContent);
    return () => link?.removeEventListener("click", goToContent);
  }, []);
}

/** A step, and the state of its entry, in which the router keeps something, too. */
type Kept = { state: unknown; step: Step };

function remember(how: "pushState" | "replaceState", { state, step }: Kept, depth: number): Kept {
  // A step has no place within the page in its address: coming back to it, the browser would move the focus there.
  const address = how === "pushState" ? location.pathname + location.search : "";
  history[how]({ ...(state as object | null), reportStep: step, reportDepth: depth }, "", address);
  return { state: history.state, step };
}

/** The step of an entry; undefined where the entry isn't one of the form's. */
function stepIn(state: unknown): Step | undefined {
  const kept = (state as { reportStep?: string } | null)?.reportStep ?? "";
  return kept in STEPS ? (kept as Step) : undefined;
}

type InStep = Steps & { heading: RefObject<HTMLHeadingElement | null> };

export const StepsContext = createContext<InStep | null>(null);

/** The form around a step. */
export function useInStep(): InStep {
  const steps = use(StepsContext);
  if (!steps) throw new Error("A step stands in a report form.");
  return steps;
}
