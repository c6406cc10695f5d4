"use client";

import { useTranslator } from "#i18n";
import { Button } from "#components/ui/button.tsx";
import { useClipboard } from "#components/ui/clipboard.ts";
import { useHydrated } from "#components/ui/use-hydrated.ts";

/** Shows recovery codes, the only time they are ever shown, with ways to save them. */
export function RecoveryCodeList({ codes }: { codes: readonly string[] }) {
  const t = useTranslator("factor");
  const scripted = useHydrated();
  // Without clipboard permission, the codes can still be selected by hand.
  const { copied, copy } = useClipboard();
  return (
    <div className="grid gap-4">
      <ul
        aria-label={t("codes")}
        dir="ltr"
        className="grid gap-x-6 gap-y-1 rounded-surface border border-line bg-sunken p-4 font-mono sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      {scripted ? (
        <div className="no-print flex flex-wrap gap-3">
          <Button icon={copied ? "check" : "copy"} onClick={() => copy(codes.join("\n"))}>
            {copied ? t("copied") : t("copyAll")}
          </Button>
          <Button icon="printer" onClick={() => window.print()}>
            {t("print")}
          </Button>
        </div>
      ) : (
        <p className="no-print text-muted">{t("byHand")}</p>
      )}
      <p role="status" className="sr-only">
        {copied ? t("copied") : ""}
      </p>
    </div>
  );
}
