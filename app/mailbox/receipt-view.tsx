import type { ReactNode } from "react";
import { useTranslator } from "#i18n";
import { confirmReceiptSavedAction, confirmReceiptHandoverAction } from "./actions.ts";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { IconWithoutScript } from "#components/ui/icon-without-script.tsx";
import { downloadIcon, keyRoundIcon } from "#lib/design/icons.ts";
import { ReceiptCopyAndPrintButtons, ReceiptPrintButton } from "#components/mailbox/receipt-actions.tsx";
import { ReceiptConfirmationFields, ReceiptWordList } from "#components/mailbox/receipt-list.tsx";
import { HandOverCover } from "#components/mailbox/hand-over-cover.tsx";
import { renderMailboxLink } from "#components/mailbox/mailbox-link.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";
import { OPENED_MAILBOX_TAG_FIELD } from "#lib/http/opened-tag.ts";

/** `opened`: the tag of the mailbox, for its forms (lib/http/opened-tag.ts). */
type TagProps = { opened: string };

type ReceiptProps = TagProps & {
  receipt: string;
  /** URL of the page where the words are entered. */
  address: string;
};

/**
 * Shows the seven words of a report that was just sent. The reporter continues once they have saved them: downloaded, printed or copied them, or typed
 * two of them. `children` says who can read the report.
 */
export function ReceiptView({ receipt, address, opened, children }: ReceiptProps & { children: ReactNode }) {
  const t = useTranslator("mailbox");
  const tExit = useTranslator("quickExit");
  return (
    <>
      <header className="grid max-w-[60ch] gap-3">
        <IconWithoutScript of={keyRoundIcon} size={32} className="text-accent no-print" />
        <h1 className="text-2xl sm:text-3xl">{t("receiptTitle")}</h1>
        <p className="text-lg no-print">{t("receiptLead")}</p>
        <p className="wrap-anywhere">
          {t.rich("receiptPlace", {
            address: isolateBidi(address),
            link: renderMailboxLink,
          })}
        </p>
      </header>
      <ReceiptWordList parts={receipt.split(" ")} label={t("receipt")} />
      <div className="flex flex-wrap gap-3 no-print">
        <ReceiptDownloadForm opened={opened} />
        <ReceiptCopyAndPrintButtons receipt={receipt} opened={opened} />
      </div>
      <p className="max-w-[60ch] font-[550] no-print">{t("leavingLoses", { leave: tExit("leave") })}</p>
      <p className="max-w-[60ch] no-print">{t("receiptSafe")}</p>
      {children && <p className="max-w-[60ch] no-print">{children}</p>}
      <ConfirmationForm opened={opened} title={t("savedTitle")} hint={t("savedHint")} button={t("goOn")} />
    </>
  );
}

function ReceiptDownloadForm({ opened }: TagProps) {
  const t = useTranslator("mailbox");
  return (
    <form method="post" action="/mailbox/receipt">
      <input type="hidden" name={OPENED_MAILBOX_TAG_FIELD} value={opened} />
      <button className={buildButtonClass()}>
        <IconWithoutScript of={downloadIcon} />
        {t("download")}
      </button>
    </form>
  );
}

type HandOverProps = ReceiptProps & {
  /** How long this device may show the words, in milliseconds. */
  shownForMs: number;
};

/**
 * Shows the words on a team member's device, for the reporter to write down. The device doesn't keep them, and hides
 * them once nobody uses it.
 */
export function ReceiptHandoverView({ receipt, address, opened, shownForMs }: HandOverProps) {
  const t = useTranslator("mailbox");
  return (
    <HandOverCover shownForMs={shownForMs} texts={useHandOverCoverTexts(address)}>
      <header className="grid max-w-[60ch] gap-3">
        <IconWithoutScript of={keyRoundIcon} size={32} className="text-accent no-print" />
        <h1 className="text-2xl sm:text-3xl">{t("handOver.title")}</h1>
        <p className="text-lg">{t("handOver.lead")}</p>
        <p className="wrap-anywhere">{t("handOver.place", { address: isolateBidi(address) })}</p>
      </header>
      <ReceiptWordList parts={receipt.split(" ")} label={t("receipt")} />
      <div className="flex flex-wrap gap-3 no-print">
        <ReceiptPrintButton />
      </div>
      <p className="max-w-[60ch] no-print">{t("receiptSafe")}</p>
      <p className="max-w-[60ch] no-print">
        {t("handOver.forget")} <span className="[@media(scripting:none)]:hidden">{t("handOver.hides")}</span>
      </p>
      <ConfirmationForm
        opened={opened}
        title={t("handOver.savedTitle")}
        hint={t("handOver.savedHint")}
        button={t("handOver.goOn")}
        handsOver
      />
    </HandOverCover>
  );
}

function useHandOverCoverTexts(address: string) {
  const t = useTranslator("mailbox");
  return {
    title: t("handOver.hidden.title"),
    text: t("handOver.hidden.text"),
    show: t("handOver.hidden.show"),
    gone: t("handOver.hidden.gone", { address: isolateBidi(address) }),
    team: t("handedOver.team"),
  };
}

/** The page of a team member's device after the words have been removed from it. */
export function ReceiptRemovedFromDeviceView() {
  const t = useTranslator("mailbox");
  return (
    <header className="grid max-w-[60ch] gap-3">
      <h1 className="text-2xl sm:text-3xl">{t("handedOver.title")}</h1>
      <p className="text-lg" role="status">
        {t("handedOver.text")}
      </p>
      <p>
        <a href="/inbox" className="text-link inline-flex min-h-11 items-center">
          {t("handedOver.team")}
        </a>
      </p>
    </header>
  );
}

type ConfirmationProps = TagProps & { title: string; hint: string; button: string; handsOver?: boolean };

function ConfirmationForm({ opened, title, hint, button, handsOver = false }: ConfirmationProps) {
  const t = useTranslator("mailbox");
  return (
    <Form
      action={handsOver ? confirmReceiptHandoverAction : confirmReceiptSavedAction}
      hidden={{ opened }}
      label={title}
      className="max-w-[60ch] no-print"
    >
      <div className="grid gap-1">
        <h2 className="text-xl">{title}</h2>
        <p className="text-muted">{hint}</p>
      </div>
      <ReceiptConfirmationFields label={(place) => t("wordOf", { place })} />
      <FormActions>
        <SubmitButton>{button}</SubmitButton>
      </FormActions>
    </Form>
  );
}
