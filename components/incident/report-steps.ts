"use client";

import { createContext, type RefObject, use, useEffect, useLayoutEffect, useRef, useState } from "react";
import { MAIN_CONTENT_ELEMENT_ID, focusContent } from "#components/shell/content-focus.ts";
import { useHydrated } from "#components/ui/use-hydrated.ts";
import { isFormInUse } from "./report-guards.ts";
import { REPORT_STEP_FIELDS } from "./report-fields.ts";
import { readReportStepHistoryDepth } from "./traces.ts";

export type ReportFormStepName = keyof typeof REPORT_STEP_FIELDS;

/** The steps in their order; a report without an account asks nothing about the reporter. */
export const listReportSteps = ({ withoutAccount }: { withoutAccount: boolean }): ReportFormStepName[] =>
  STEP_ORDER.filter((step) => step !== "you" || !withoutAccount);

const STEP_ORDER = Object.keys(REPORT_STEP_FIELDS) as ReportFormStepName[];

/** Returns the first step that contains one of these fields. */
export const findStepWithField = (fields: readonly string[]): ReportFormStepName | undefined =>
  STEP_ORDER.find((step) => REPORT_STEP_FIELDS[step].some((name) => fields.includes(name)));

type ReportStepNavigationState = {
  /** False while there are no steps: without script, and in a form that was in use before script arrived. */
  stepped: boolean;
  step: ReportFormStepName;
  /** Number of the current step and of all steps, not counting the start. */
  at: number;
  of: number;
  /** Whether the summary has been reached; edits made from there return to it. */
  checked: boolean;
  next: ReportFormStepName;
  go: (step: ReportFormStepName) => void;
  /** Goes to the step at which a draft was left: that of this history entry, after a reload. */
  resume: (step: string) => void;
  back: () => void;
};

/**
 * Tracks the current step of the form. Each step is a history entry at the same URL, so the browser's "Back" goes one
 * step back.
 */
export function useReportStepNavigation(
  form: RefObject<HTMLFormElement | null>,
  { first, order }: { first: ReportFormStepName; order: readonly ReportFormStepName[] },
): ReportStepNavigationState {
  const stepped = useSteps(form);
  const [step, setStep] = useState<ReportFormStepName>(first);
  const [checked, setChecked] = useState(false);
  const { writeStep, wasReloaded } = useStepHistory(first, setStep);
  useSkipLink();

  const show = (to: ReportFormStepName) => {
    setStep(to);
    if (to === "check") setChecked(true);
  };
  const go = (to: ReportFormStepName) => {
    writeStep("pushState", to);
    show(to);
  };
  const resume = (left: string) => {
    const to = left in REPORT_STEP_FIELDS ? (left as ReportFormStepName) : first;
    if (wasReloaded()) {
      writeStep("replaceState", to);
      show(to);
    } else if (to !== first) go(to);
  };

  const at = order.indexOf(step);
  const next = checked ? "check" : (order[at + 1] ?? "check");
  return {
    stepped,
    step,
    at,
    of: order.length - 1,
    checked,
    next,
    go,
    resume,
    back: () => history.back(),
  };
}

/**
 * Returns whether the form is split into steps. The server sends it as one page; if somebody has begun to fill that in,
 * or to read on, by the time script arrives, it stays as it is, so that nothing disappears under their fingers.
 */
function useSteps(form: RefObject<HTMLFormElement | null>): boolean {
  const [stepped, setStepped] = useState(false);
  // A page that script has navigated to was never a form without it, and may still be scrolled as the page before.
  const [wasMountedByScript] = useState(useHydrated());
  useLayoutEffect(() => {
    // A browser scrolls by itself only when it reloads a page or goes back to it.
    const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    const hasReadOn = window.scrollY > 0 && navigation?.type === "navigate";
    // Before the browser paints, so that nobody sees both forms.
    // oxlint-disable-next-line react/set-state-in-effect -- only the browser knows what was done to the form
    if (wasMountedByScript || (form.current && !hasReadOn && !isFormInUse(form.current))) setStepped(true);
  }, [form, wasMountedByScript]);
  return stepped;
}

/**
 * Gives each step a history entry, and calls `onStep` when the browser goes to another step's entry.
 * @returns a function that adds an entry for a step, or makes the current one that of another step
 */
function useStepHistory(first: ReportFormStepName, onStep: (step: ReportFormStepName) => void) {
  const depth = useRef(0);
  const currentEntry = useRef<HistoryEntryState>({ state: null, step: first });

  // Before the layout effect that restores a draft and goes to its step.
  useLayoutEffect(() => {
    // A reload keeps the history entries of earlier steps.
    depth.current = readReportStepHistoryDepth(history.state);
    currentEntry.current = writeHistoryEntry(
      "replaceState",
      { state: history.state, step: first },
      depth.current,
    );
    const onPopState = (event: PopStateEvent) => {
      const step = readStepFromState(event.state);
      if (!step) {
        // A link within the page, such as the skip link, has added an entry; the step stays.
        depth.current += 1;
        writeHistoryEntry("replaceState", currentEntry.current, depth.current);
        return;
      }
      depth.current = readReportStepHistoryDepth(event.state);
      currentEntry.current = { state: event.state, step };
      onStep(step);
    };
    window.addEventListener("popstate", onPopState);
    return () => window.removeEventListener("popstate", onPopState);
  }, [first, onStep]);

  const writeStep = (method: "pushState" | "replaceState", step: ReportFormStepName) => {
    if (method === "pushState") depth.current += 1;
    currentEntry.current = writeHistoryEntry(method, { state: history.state, step }, depth.current);
  };
  return { writeStep, wasReloaded: () => depth.current > 0 };
}

/**
 * The frame around the form sends no script, so the form handles its skip link: a history entry from it would
 * count as a step.
 */
function useSkipLink(): void {
  useEffect(() => {
    const link = document.querySelector(`a[href="#${MAIN_CONTENT_ELEMENT_ID}"]`);
    link?.addEventListener("click", focusContent);
    return () => link?.removeEventListener("click", focusContent);
  }, []);
}

/** A step and the state of its history entry, where the router stores data too. */
type HistoryEntryState = { state: unknown; step: ReportFormStepName };

function writeHistoryEntry(
  method: "pushState" | "replaceState",
  { state, step }: HistoryEntryState,
  depth: number,
): HistoryEntryState {
  // A step's URL has no fragment; otherwise the browser would move the focus there when going back.
  const address = method === "pushState" ? location.pathname + location.search : "";
  history[method]({ ...(state as object | null), reportStep: step, reportDepth: depth }, "", address);
  return { state: history.state, step };
}

/** Returns the step of a history entry; undefined if the entry isn't one of the form's. */
function readStepFromState(state: unknown): ReportFormStepName | undefined {
  const storedStep = (state as { reportStep?: string } | null)?.reportStep ?? "";
  return storedStep in REPORT_STEP_FIELDS ? (storedStep as ReportFormStepName) : undefined;
}

type ReportStepContext = ReportStepNavigationState & { heading: RefObject<HTMLHeadingElement | null> };

export const ReportStepsContext = createContext<ReportStepContext | null>(null);

/** Returns the context of the form around a step. */
export function useReportStepContext(): ReportStepContext {
  const steps = use(ReportStepsContext);
  if (!steps) throw new Error("A step stands in a report form.");
  return steps;
}
