"use client";

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLocale, useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button-class.ts";
import {
  type StoredReportDraft,
  deleteStoredReportDrafts,
  readStoredReportDraft,
  writeStoredReportDraft,
} from "./traces.ts";

const SAVE_DELAY_MS = 400;

/** Manages the draft of a report on this device: saved only on request, and for one day. */
export function useReportDraft(name: string) {
  const [found, setFound] = useState<StoredReportDraft | null>(null);
  const [keeps, setKeeps] = useState(false);
  const [fails, setFails] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  // Only the browser knows what the device stores. Before the layout effect that may take the draft.
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, as the page arrives
  useLayoutEffect(() => setFound(readStoredReportDraft(name)), [name]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const write = (values: Record<string, string>) => setFails(!writeStoredReportDraft(name, { values }));
  return {
    found,
    keeps,
    fails,
    /** Saves the form values shortly after the last keystroke. */
    note(values: () => Record<string, string>) {
      clearTimeout(timer.current);
      if (keeps) timer.current = setTimeout(() => write(values()), SAVE_DELAY_MS);
    },
    keep(wanted: boolean, values: Record<string, string>) {
      clearTimeout(timer.current);
      setKeeps(wanted);
      if (wanted) write(values);
      else deleteStoredReportDrafts(name);
    },
    /** Restores the draft that was found, and continues to save it. */
    take() {
      setKeeps(true);
      setFound(null);
    },
    drop() {
      clearTimeout(timer.current);
      deleteStoredReportDrafts(name);
      setFound(null);
      setKeeps(false);
    },
  };
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
