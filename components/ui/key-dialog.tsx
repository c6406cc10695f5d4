"use client";

import { type ReactNode, useEffect, useId, useRef } from "react";
import { DialogPanel } from "./dialog-face.tsx";

/** A modal that opens as soon as it is there. */
export function KeyDialog({
  title,
  toRead = false,
  onClose,
  children,
}: {
  title: string;
  /** There is more to read than to choose: it begins at its top, with the focus on what closes it. */
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
