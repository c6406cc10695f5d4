"use client";

import { createContext, type ReactNode, use, useCallback, useEffect, useRef, useState } from "react";
import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button.tsx";
import { Form, SubmitButton } from "#components/ui/form.tsx";
import { useFormContext } from "#components/ui/form-context.ts";
import { Icon } from "#components/ui/icon.tsx";
import type { FormState } from "#lib/design/form-state.ts";
import { undoIncidentChangeAction } from "./actions.ts";

/** Confirms the last action at the foot of the page, with Undo while it is recent. */

type DoneMessage = NonNullable<FormState["done"]>;

const ToastContext = createContext<(done: DoneMessage) => void>(() => {});
const TOAST_DURATION_MS = 12_000;

export function IncidentToastProvider({ children }: { children: ReactNode }) {
  const [toast, setToast] = useState<{ done: DoneMessage; at: number } | null>(null);
  const showToast = useCallback((done: DoneMessage) => setToast({ done, at: Date.now() }), []);
  return (
    <ToastContext value={showToast}>
      {children}
      <div
        role="status"
        className="no-print pointer-events-none fixed inset-x-0 bottom-20 z-40 flex justify-center px-4 min-[50rem]:bottom-6"
      >
        {toast && <Toast key={toast.at} done={toast.done} onClose={() => setToast(null)} />}
      </div>
    </ToastContext>
  );
}

/** Placed in a form: shows the confirmation that the form's action returns. */
export function FormToast() {
  const { state } = useFormContext();
  const showToast = use(ToastContext);
  useEffect(() => {
    if (!state.ok || !state.done) return;
    showToast(state.done);
    restoreFocus();
  }, [state, showToast]);
  return null;
}

/** When the dialog has closed or the pressed button is gone, moves the focus to the incident's title. */
function restoreFocus(): void {
  for (const ms of [0, 200])
    setTimeout(() => {
      const { activeElement } = document;
      if (activeElement && activeElement !== document.body) return;
      document.getElementById("report-title")?.focus({ preventScroll: true });
    }, ms);
}

/** Disappears after a while, but not while it has the pointer or the focus. */
function Toast({ done, onClose }: { done: DoneMessage; onClose: () => void }) {
  const t = useTranslator("incidentClient");
  const ui = useTranslator("ui");
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!box.current?.matches(":hover, :focus-within")) onClose();
    }, TOAST_DURATION_MS);
    return () => clearInterval(timer);
  }, [onClose]);
  return (
    <div
      ref={box}
      className="pointer-events-auto flex max-w-full flex-wrap items-center gap-x-2 rounded-surface border border-edge bg-ink py-1 ps-4 pe-1 text-paper"
    >
      <p className="min-w-0 py-2 wrap-anywhere">{done.text}</p>
      {done.undo && (
        <Form action={undoIncidentChangeAction} hidden={done.undo} label={t("undo")} className="gap-2">
          <FormToast />
          <SubmitButton variant="secondary" pendingLabel={t("undoing")} data-undo="">
            {t("undo")}
          </SubmitButton>
        </Form>
      )}
      <button
        type="button"
        aria-label={ui("close")}
        className={buildButtonClass("quiet", "w-11 px-0 !text-paper hover:!bg-transparent")}
        onClick={onClose}
      >
        <Icon as="x" />
      </button>
    </div>
  );
}
