"use client";

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLocale, useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button-class.ts";
import {
  type StoredReportDraft,
  deleteStoredReportDrafts,
  readStoredReportDraft,
  writeStoredReportDraft,
} from "./traces.ts";

const SAVE_DELAY_MS = 400;

/**
 * Manages the draft of a report: kept in the tab for an hour, so that a reload, a discarded tab and "Back" lose nothing,
 * and on this device only on request, for one day.
 */
export function useReportDraft(name: string) {
  const [found, setFound] = useState<StoredReportDraft | null>(null);
  const [keeps, setKeeps] = useState(false);
  const [fails, setFails] = useState(false);
  const { schedule, cancel, saveNow } = useDelayedSave();
  // Only the browser knows what the device stores. Before the layout effect that may take the draft.
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, as the page arrives
  useLayoutEffect(() => setFound(readStoredReportDraft(name)), [name]);

  const save = ({ values, step }: UnsavedReportDraft, onDevice: boolean): boolean => {
    if (onDevice) setFails(!writeStoredReportDraft(name, { values }));
    return writeStoredReportDraft(name, { values, step, keeps: onDevice }, "sessionStorage");
  };
  const state = { found, keeps, fails, saveNow };
  return {
    ...state,
    /** Saves what was entered shortly after the last keystroke, and as the page is left. */
    note: (read: () => UnsavedReportDraft) => schedule(() => save(read(), keeps)),
    keep(wanted: boolean, unsaved: UnsavedReportDraft) {
      setKeeps(wanted);
      if (!wanted) deleteStoredReportDrafts(name);
      schedule(() => save(unsaved, wanted));
      saveNow();
    },
    /** Offers a draft of this tab to a form that is in use already. */
    offer: setFound,
    /** Says that the draft that was found is restored; one of this device continues to be saved there. */
    take(onDevice: boolean) {
      setKeeps(onDevice);
      setFound(null);
    },
    drop() {
      cancel();
      deleteStoredReportDrafts(name);
      setFound(null);
      setKeeps(false);
    },
  };
}

/** What was entered, and the current step. */
type UnsavedReportDraft = { values: Record<string, string>; step: string };

/** Delays what it is to save, until the page is hidden at the latest: a phone may discard a tab without a further word. */
function useDelayedSave() {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const pending = useRef<() => boolean>(undefined);
  const wasStored = useRef(true);

  const cancel = useCallback(() => {
    clearTimeout(timer.current);
    pending.current = undefined;
  }, []);
  /** Saves what was noted without waiting. Returns false if the browser couldn't store it. */
  const saveNow = useCallback((): boolean => {
    if (pending.current) wasStored.current = pending.current();
    cancel();
    return wasStored.current;
  }, [cancel]);

  useEffect(() => {
    const onHidden = () => void (document.hidden && saveNow());
    document.addEventListener("visibilitychange", onHidden);
    window.addEventListener("pagehide", saveNow);
    return () => {
      cancel();
      document.removeEventListener("visibilitychange", onHidden);
      window.removeEventListener("pagehide", saveNow);
    };
  }, [cancel, saveNow]);

  function schedule(save: () => boolean): void {
    cancel();
    pending.current = save;
    timer.current = setTimeout(saveNow, SAVE_DELAY_MS);
  }
  return { schedule, cancel, saveNow };
}

type ReportDraftState = ReturnType<typeof useReportDraft>;

/** Offers a saved draft without showing any of it until it is opened. */
export function DraftOffer({
  draft,
  onTake,
}: {
  draft: ReportDraftState;
  onTake: (found: StoredReportDraft) => void;
}) {
  const t = useTranslator("reportForm");
  const locale = useLocale();
  if (!draft.found) return null;
  const { found } = draft;
  const at = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(found.at);
  return (
    <section className="grid gap-3 rounded-surface border border-edge bg-surface p-4">
      <p>{t("draft.found", { at })}</p>
      <div className="flex flex-wrap gap-3">
        <button type="button" className={buildButtonClass("primary")} onClick={() => onTake(found)}>
          {t("draft.take")}
        </button>
        <button type="button" className={buildButtonClass()} onClick={draft.drop}>
          {t("draft.drop")}
        </button>
      </div>
    </section>
  );
}

type DraftChoiceProps = { draft: ReportDraftState; onKeep: (wanted: boolean) => void };

/**
 * Lets the person save the draft on this device, with a warning of what that means. The checkbox has no name, so it
 * isn't sent with the report.
 */
export function SaveDraftCheckbox({ draft, onKeep }: DraftChoiceProps) {
  const t = useTranslator("reportForm");
  return (
    <div className="flex min-h-11 items-start gap-3">
      <input
        id="keep-draft"
        type="checkbox"
        aria-describedby="keep-draft-hint"
        className="mt-2.5 size-6 shrink-0"
        checked={draft.keeps}
        onChange={(event) => onKeep(event.target.checked)}
      />
      <div className="min-w-0 grow">
        <label htmlFor="keep-draft" className="block py-2.5">
          {t("draft.keep")}
        </label>
        <p id="keep-draft-hint" className="-mt-2 max-w-[60ch] pb-2 text-sm text-muted">
          {t(draft.fails ? "draft.fails" : "draft.hint")}
        </p>
      </div>
    </div>
  );
}
