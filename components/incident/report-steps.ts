"use client";

import {
  createContext,
  type RefObject,
  use,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { MAIN_CONTENT_ELEMENT_ID, focusContent } from "#components/shell/content-focus.ts";
import { useHydrated } from "#components/ui/use-hydrated.ts";
import { REPORT_STEP_FIELDS } from "./report-fields.ts";
import { readReportStepHistoryDepth } from "./traces.ts";

export type ReportFormStepName = keyof typeof REPORT_STEP_FIELDS;

const STEP_ORDER = Object.keys(REPORT_STEP_FIELDS) as ReportFormStepName[];

/** Returns the first step that contains one of these fields. */
export const findStepWithField = (fields: readonly string[]): ReportFormStepName | undefined =>
  STEP_ORDER.find((step) => REPORT_STEP_FIELDS[step].some((name) => fields.includes(name)));

type ReportStepNavigationState = {
  /** False without script, when there are no steps. */
  scripted: boolean;
  step: ReportFormStepName;
  /** Number of the current step and of all steps, not counting the start. */
  at: number;
  of: number;
  /** Whether the summary has been reached; edits made from there return to it. */
  checked: boolean;
  next: ReportFormStepName;
  go: (step: ReportFormStepName) => void;
  back: () => void;
};

/**
 * Tracks the current step of the form. Each step is a history entry at the same URL, so the browser's "Back" goes one
 * step back.
 */
export function useReportStepNavigation(first: ReportFormStepName): ReportStepNavigationState {
  const scripted = useHydrated();
  const [step, setStep] = useState<ReportFormStepName>(first);
  const [checked, setChecked] = useState(false);
  const pushStep = useStepHistory(first, setStep);
  useSkipLink();

  const go = useCallback(
    (to: ReportFormStepName) => {
      pushStep(to);
      setStep(to);
      if (to === "check") setChecked(true);
    },
    [pushStep],
  );

  const at = STEP_ORDER.indexOf(step);
  const next = checked ? "check" : (STEP_ORDER[at + 1] ?? "check");
  return { scripted, step, at, of: STEP_ORDER.length - 1, checked, next, go, back: () => history.back() };
}

/**
 * Gives each step a history entry, and calls `onStep` when the browser goes to another step's entry.
 * @returns a function that adds an entry for a step
 */
function useStepHistory(
  first: ReportFormStepName,
  onStep: (step: ReportFormStepName) => void,
): (step: ReportFormStepName) => void {
  const depth = useRef(0);
  const currentEntry = useRef<HistoryEntryState>({ state: null, step: first });

  // Before the layout effect that restores a draft and goes to its step.
  useLayoutEffect(() => {
    // A reload loses the text but not the history entries of earlier steps.
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

  return useCallback((step: ReportFormStepName) => {
    depth.current += 1;
    currentEntry.current = writeHistoryEntry("pushState", { state: history.state, step }, depth.current);
  }, []);
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
