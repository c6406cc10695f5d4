"use client";

import type { MouseEvent, ReactNode } from "react";
import { useTranslator } from "#i18n";
import { buildButtonClass } from "./button-class.ts";

/** The label: a standard one ("Keep it", "Stay", "Leave as it is"), or a text of its own. */
type Props = { outcome: "keep" | "stay" | "leave"; children?: undefined } | { children: ReactNode };

/**
 * A button that closes the dialog around it and changes nothing, for dialogs about what can't be undone. Without
 * script the form is in the page, and there is nothing to close.
 */
export function DismissDialogButton(props: Props) {
  const t = useTranslator("ui");
  return (
    <button
      type="button"
      onClick={closeDialog}
      className={buildButtonClass("secondary", "[@media(scripting:none)]:hidden")}
    >
      {"outcome" in props ? t(`dismiss.${props.outcome}`) : props.children}
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
