"use client";

import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { useWords } from "#words";
import { buttonClass } from "./button-class.ts";
import { Icon } from "./icon.tsx";

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
  const t = useWords("ui");
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
      <div className="flex items-start justify-between gap-4 px-4 pt-3 sm:px-6">
        <h2 id={id} className="pt-2 text-xl">
          {title}
        </h2>
        <button
          type="button"
          aria-label={t("close")}
          className={buttonClass("quiet", "-me-2 w-11 px-0")}
          onClick={() => dialog.current?.close()}
        >
          <Icon as={X} />
        </button>
      </div>
      <div data-body="" className="px-4 pt-1 pb-4 sm:px-6 sm:pb-5">
        {children}
      </div>
    </dialog>
  );
}
