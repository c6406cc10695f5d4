"use client";

import { type ReactNode, useEffect, useId, useRef } from "react";
import { DialogFace } from "./dialog-face.tsx";

/** A modal that opens as soon as it is there. */
export function KeyDialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>("[data-body] :is(input:checked, button, select)")?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={onClose}
      className="w-[min(30rem,calc(100vw-2rem))] rounded-surface border border-line bg-surface"
    >
      <DialogFace title={title} heading={id} onClose={() => dialog.current?.close()}>
        {children}
      </DialogFace>
    </dialog>
  );
}
