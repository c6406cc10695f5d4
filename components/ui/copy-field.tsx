"use client";

import { useId, useRef } from "react";
import { useTranslator } from "#i18n";
import { Button } from "./button.tsx";
import { useClipboard } from "./clipboard.ts";
import { useHydrated } from "./use-hydrated.ts";

type Props = {
  label: string;
  value: string;
  /** Takes the focus when it appears: for what is shown once, at the other end of a long form. */
  autoFocus?: boolean;
};

/** A URL, token or the like with a copy button. Without script, a field to copy from by hand. */
export function CopyField({ label, value, autoFocus }: Props) {
  const t = useTranslator("ui");
  const scripted = useHydrated();
  const { copied, copy } = useClipboard();
  const input = useRef<HTMLInputElement>(null);
  const id = useId();

  async function copyOrSelect() {
    // Selects the text so that a keyboard shortcut copies it.
    if (!(await copy(value))) input.current?.select();
  }

  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="font-[550]">
        {label}
      </label>
      <div className="flex gap-2">
        <input
          ref={input}
          id={id}
          readOnly
          dir="ltr"
          autoFocus={autoFocus}
          value={value}
          className="control min-w-0"
          onFocus={(event) => event.currentTarget.select()}
        />
        {scripted && (
          <Button icon={copied ? "check" : "copy"} onClick={copyOrSelect} className="shrink-0">
            {copied ? t("copied") : t("copy")}
          </Button>
        )}
      </div>
      <p role="status" className="sr-only">
        {copied ? t("copied") : ""}
      </p>
    </div>
  );
}
