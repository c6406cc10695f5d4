"use client";

import { useEffect, useRef } from "react";
import { useTranslator } from "#i18n";
import { useFormContext } from "./form-context.ts";
import { isPageLeavingLinkClick } from "./page-leaving-click.ts";

/** Placed inside a form: asks before a link, a reload or a closed window discards typed text. */
export function UnsavedChangesGuard() {
  const t = useTranslator("ui");
  const { state } = useFormContext();
  const marker = useRef<HTMLSpanElement>(null);
  const isDirty = useRef(false);
  const question = t("leaveUnsaved");

  useEffect(() => {
    if (state.ok) isDirty.current = false;
  }, [state]);

  useEffect(() => {
    const form = marker.current?.closest("form");
    const abort = new AbortController();
    const { signal } = abort;
    form?.addEventListener("input", () => (isDirty.current = true), { signal });
    form?.addEventListener("reset", () => (isDirty.current = false), { signal });
    const onUnload = (event: BeforeUnloadEvent) => isDirty.current && event.preventDefault();
    window.addEventListener("beforeunload", onUnload, { signal });
    // Runs before the router handles the click, because a client-side navigation doesn't unload the page.
    window.addEventListener("click", (event) => confirmLeaving(event), { capture: true, signal });
    return () => abort.abort();

    function confirmLeaving(event: MouseEvent) {
      if (!isDirty.current || !isPageLeavingLinkClick(event)) return;
      if (window.confirm(question)) isDirty.current = false;
      else {
        event.preventDefault();
        event.stopPropagation();
      }
    }
  }, [question]);

  return <span ref={marker} hidden />;
}
