"use client";

import type { MouseEvent } from "react";
import { useTranslator } from "#i18n";
import { buildButtonClass } from "./button-class.ts";

type Props = {
  /** What happens instead: something is kept, somebody stays, or all is left as it is. */
  label: "keep" | "stay" | "leave";
};

/**
 * A button that closes the dialog around it and changes nothing, for dialogs about what can't be undone. Without script the
 * form is in the page, and there is nothing to close.
 */
export function DismissButton({ label }: Props) {
  const t = useTranslator("ui");
  return (
    <button
      type="button"
      onClick={closeDialog}
      className={buildButtonClass("secondary", "[@media(scripting:none)]:hidden")}
    >
      {t(`dismiss.${label}`)}
    </button>
  );
}

/** Before script took over, the form may have been opened in place: then its disclosure is closed. */
function closeDialog({ currentTarget }: MouseEvent): void {
  const around = currentTarget.closest("dialog, details");
  if (around instanceof HTMLDialogElement) return around.close();
  around?.removeAttribute("open");
  around?.querySelector("summary")?.focus();
}
