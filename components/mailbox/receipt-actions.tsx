"use client";

import { useTranslator } from "#i18n";
import { Button } from "#components/ui/button.tsx";
import { useClipboard } from "#components/ui/clipboard.ts";
import { useHydrated } from "#components/ui/use-hydrated.ts";

type Props = {
  receipt: string;
  /** Names the mailbox without its id: a form is refused when another has been opened (lib/http/opened-tag.ts). */
  opened: string;
};

/** Buttons to copy and to print the words, which need script; both count as saving the words. */
export function ReceiptCopyAndPrintButtons({ receipt, opened }: Props) {
  const t = useTranslator("receiptActions");
  const scripted = useHydrated();
  const { copied, copy } = useClipboard();
  if (!scripted) return null;
  return (
    <>
      <Button
        icon={copied ? "check" : "copy"}
        onClick={async () => {
          if (await copy(receipt)) reportSaved(opened);
        }}
      >
        {t(copied ? "copied" : "copy")}
      </Button>
      <Button
        icon="printer"
        onClick={() => {
          window.print();
          reportSaved(opened);
        }}
      >
        {t("print")}
      </Button>
      <p role="status" className="sr-only">
        {copied ? t("copied") : ""}
      </p>
    </>
  );
}

/** A button that prints the words. On a team member's device, the words can't be copied or downloaded. */
export function ReceiptPrintButton() {
  const t = useTranslator("receiptActions");
  const scripted = useHydrated();
  if (!scripted) return null;
  return (
    <Button icon="printer" onClick={() => window.print()}>
      {t("print")}
    </Button>
  );
}

/**
 * Records that the words are saved, unless another mailbox has been opened on this device since. If this fails, the
 * reporter can still enter two of them.
 */
const reportSaved = (opened: string) =>
  void fetch("/mailbox/receipt/saved", {
    method: "POST",
    body: new URLSearchParams({ opened }),
    keepalive: true,
  }).catch(() => undefined);
