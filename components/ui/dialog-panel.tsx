"use client";

import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { buildButtonClass } from "./button-class.ts";
import { IconWithoutScript } from "./icon-without-script.tsx";
import { xIcon } from "#lib/design/icons.ts";

type Props = {
  title: string;
  /** Id of the title, which labels the dialog. */
  heading: string;
  onClose: () => void;
  children: ReactNode;
};

/** Content of a modal dialog: its title, the close button, and the rest in `[data-body]`. */
export function DialogPanel({ title, heading, onClose, children }: Props) {
  const t = useTranslator("ui");
  return (
    <>
      <div className="flex items-start justify-between gap-4 px-4 pt-4 sm:px-6">
        <h2 id={heading} className="min-w-0 pt-2 text-xl wrap-anywhere">
          {title}
        </h2>
        <button
          type="button"
          aria-label={t("close")}
          className={buildButtonClass("quiet", "-me-2 w-11 shrink-0 px-0")}
          onClick={onClose}
        >
          <IconWithoutScript of={xIcon} />
        </button>
      </div>
      <div data-body="" className="px-4 pt-2 pb-5 sm:px-6 sm:pb-6">
        {children}
      </div>
    </>
  );
}
