"use client";

import { useTranslator } from "#i18n";
import { buildButtonClass } from "#components/ui/button.tsx";
import { useClipboard } from "#components/ui/clipboard.ts";
import { Icon } from "#components/ui/icon.tsx";
import { useHydrated } from "#components/ui/use-hydrated.ts";

/** Code to copy, left to right in every language. */
export function CodeBlock({ children }: { children: string }) {
  const t = useTranslator("ui");
  const scripted = useHydrated();
  const { copied, copy } = useClipboard();
  return (
    <div className="flex min-w-0 items-start rounded-control border border-line bg-sunken">
      <pre
        dir="ltr"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls long lines
        tabIndex={0}
        className="min-w-0 grow overflow-x-auto rounded-control p-4 text-sm leading-6"
      >
        <code>{children}</code>
      </pre>
      {scripted && (
        <button
          type="button"
          onClick={() => copy(children)}
          aria-label={copied ? t("copied") : t("copy")}
          className={buildButtonClass("quiet", "m-1 w-11 shrink-0 px-0")}
        >
          <Icon as={copied ? "check" : "copy"} />
        </button>
      )}
      <p role="status" className="sr-only">
        {copied ? t("copied") : ""}
      </p>
    </div>
  );
}
