"use client";

import { createContext, type RefObject, use, useCallback, useEffect, useRef, useState } from "react";
import { CONTENT_ID, focusContent } from "#components/shell/go-to-content.ts";
import { useHydrated } from "#components/ui/scripted.ts";
import { REPORT_STEP_FIELDS } from "./report-fields.ts";
import { readHistoryDepth } from "./traces.ts";

export type ReportStep = keyof typeof REPORT_STEP_FIELDS;

const STEP_ORDER = Object.keys(REPORT_STEP_FIELDS) as ReportStep[];

/** The first screen with a field about which there is something to say. */
export const findStepWithField = (fields: readonly string[]): ReportStep | undefined =>
  STEP_ORDER.find((step) => REPORT_STEP_FIELDS[step].some((name) => fields.includes(name)));

export type ReportSteps = {
  /** False without script: there are no steps then. */
  scripted: boolean;
  step: ReportStep;
  /** Which of how many, the start not counted. */
  at: number;
  of: number;
  /** The summary was seen: what is changed from there leads back to it. */
  checked: boolean;
  next: ReportStep;
  go: (step: ReportStep) => void;
  back: () => void;
};

/**
 * Where one is in the form. Each step is an entry of the history, so the browser's "Back" leads one step back; the
 * address stays the same.
 */
export function useReportSteps(first: ReportStep): ReportSteps {
  const scripted = useHydrated();
  const [step, setStep] = useState<ReportStep>(first);
  const [checked, setChecked] = useState(false);
  const depth = useRef(0);
  const currentEntry = useRef<HistoryEntryState>({ state: null, step: first });

  useEffect(() => {
    // After a reload the words are gone, but not the entries of the steps behind this one.
    depth.current = readHistoryDepth(history.state);
    currentEntry.current = writeHistoryEntry(
      "replaceState",
      { state: history.state, step: first },
      depth.current,
    );
    const onPopState = (event: PopStateEvent) => {
      const step = readStepFromState(event.state);
      if (!step) {
        // A link within the page, such as the one to its content, has made an entry: the step stays.
        depth.current += 1;
        writeHistoryEntry("replaceState", currentEntry.current, depth.current);
        return;
      }
      depth.current = readHistoryDepth(event.state);
      currentEntry.current = { state: event.state, step };
      setStep(step);
    };
    window.addEventListener("popstate", onPopState);
    return () => window.removeEventListener("popstate", onPopState);
  }, [first]);

  useSkipLink();

  const go = useCallback((to: ReportStep) => {
    depth.current += 1;
    currentEntry.current = writeHistoryEntry("pushState", { state: history.state, step: to }, depth.current);
    setStep(to);
    if (to === "check") setChecked(true);
  }, []);

  const at = STEP_ORDER.indexOf(step);
  const next = checked ? "check" : (STEP_ORDER[at + 1] ?? "check");
  return { scripted, step, at, of: STEP_ORDER.length - 1, checked, next, go, back: () => history.back() };
}

/** The frame around the form sends no script, so the form sees to its skip link: an entry of that would be a step. */
function useSkipLink(): void {
  useEffect(() => {
    const link = document.querySelector(`a[href="#${CONTENT_ID}"]`);
    link?.addEventListener("click", focusContent);
    return () => link?.removeEventListener("click", focusContent);
  }, []);
}

/** A step, and the state of its entry, in which the router keeps something, too. */
type HistoryEntryState = { state: unknown; step: ReportStep };

function writeHistoryEntry(
  method: "pushState" | "replaceState",
  { state, step }: HistoryEntryState,
  depth: number,
): HistoryEntryState {
  // A step has no place within the page in its address: coming back to it, the browser would move the focus there.
  const address = method === "pushState" ? location.pathname + location.search : "";
  history[method]({ ...(state as object | null), reportStep: step, reportDepth: depth }, "", address);
  return { state: history.state, step };
}

/** The step of an entry; undefined where the entry isn't one of the form's. */
function readStepFromState(state: unknown): ReportStep | undefined {
  const storedStep = (state as { reportStep?: string } | null)?.reportStep ?? "";
  return storedStep in REPORT_STEP_FIELDS ? (storedStep as ReportStep) : undefined;
}

type ReportStepContext = ReportSteps & { heading: RefObject<HTMLHeadingElement | null> };

export const StepsContext = createContext<ReportStepContext | null>(null);

/** The form around a step. */
export function useReportStepContext(): ReportStepContext {
  const steps = use(StepsContext);
  if (!steps) throw new Error("A step stands in a report form.");
  return steps;
}
