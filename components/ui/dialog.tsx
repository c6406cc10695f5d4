"use client";

import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { buttonClass, type ButtonVariant } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { useScripted } from "./scripted.ts";

/** The button of a dialog, and the words over what it opens. */
export type DialogDoor = {
  /** Words and looks of the button that opens it. */
  trigger: ReactNode;
  variant?: ButtonVariant;
  title: string;
  className?: string;
};

type Props = DialogDoor & {
  /** Open from the start, as after a refused submit. */
  open?: boolean;
  children: ReactNode;
};

/** A native modal dialog with its button. Without script the same content opens in place, under the button. */
export function Dialog(props: Props) {
  return useScripted() ? <Modal {...props} /> : <InPlace {...props} />;
}

function Modal({ trigger, variant, title, open = false, className, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
  }, [open]);
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        className={buttonClass(variant, className)}
        onClick={() => dialog.current?.showModal()}
      >
        {trigger}
      </button>
      <dialog
        ref={dialog}
        aria-labelledby={id}
        className="w-[min(34rem,calc(100vw-2rem))] rounded-surface border border-line bg-surface"
      >
        <div className="flex items-start justify-between gap-4 px-4 pt-4 sm:px-6">
          <h2 id={id} className="pt-2 text-xl">
            {title}
          </h2>
          <button
            type="button"
            aria-label="Close"
            className={buttonClass("quiet", "-me-2 w-11 px-0")}
            onClick={() => dialog.current?.close()}
          >
            <Icon as={X} />
          </button>
        </div>
        <div className="px-4 pt-2 pb-5 sm:px-6 sm:pb-6">{children}</div>
      </dialog>
    </>
  );
}

function InPlace({ trigger, variant, title, open, className, children }: Props) {
  return (
    <details open={open} className="no-print">
      <summary className={buttonClass(variant, className)}>{trigger}</summary>
      <section className="mt-3 grid gap-3 rounded-surface border border-edge bg-surface p-4 sm:p-6">
        <h2 className="text-xl">{title}</h2>
        {children}
      </section>
    </details>
  );
}
