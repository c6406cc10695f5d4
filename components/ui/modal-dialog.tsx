"use client";

import { type ReactNode, useEffect, useId, useRef } from "react";
import { DialogPanel } from "./dialog-panel.tsx";

/** A modal dialog that opens when mounted. */
export function InitiallyOpenDialog({
  title,
  toRead = false,
  onClose,
  children,
}: {
  title: string;
  /** For content to read rather than choose: starts at the top, with the focus on the close button. */
  toRead?: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal();
    if (toRead) return;
    dialog.current?.querySelector<HTMLElement>("[data-body] :is(input:checked, button, select)")?.focus();
  }, [toRead]);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={onClose}
      className="w-[min(30rem,calc(100vw-2rem))] rounded-surface border border-line bg-surface"
    >
      <DialogPanel title={title} heading={id} onClose={() => dialog.current?.close()}>
        {children}
      </DialogPanel>
    </dialog>
  );
}
