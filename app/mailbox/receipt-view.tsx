import { useTranslator } from "#i18n";
import { confirmReceiptAction, handOverReceiptAction } from "./actions.ts";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { StaticIcon } from "#components/ui/static-icon.tsx";
import { downloadIcon, keyRoundIcon } from "#lib/design/icons.ts";
import { ReceiptActions, ReceiptPrintButton } from "#components/mailbox/receipt-actions.tsx";
import { isolateBidi } from "#lib/design/bidi.ts";

/** Which words a reporter types to show that they have saved the receipt: an early and a late one. */
const CONFIRMATION_PLACES = [2, 6] as const;

/**
 * Shows the seven words. The reporter continues once they have saved them: downloaded, printed or copied them, or typed
 * two of them.
 */
export function ReceiptView({ receipt }: { receipt: string }) {
  const t = useTranslator("mailbox");
  return (
    <>
      <header className="grid max-w-[60ch] gap-3">
        <StaticIcon of={keyRoundIcon} size={32} className="text-accent no-print" />
        <h1 className="text-2xl sm:text-3xl">{t("receiptTitle")}</h1>
        <p className="text-lg no-print">{t("receiptLead")}</p>
      </header>
      <ReceiptList receipt={receipt} />
      <div className="flex flex-wrap gap-3 no-print">
        <a href="/mailbox/receipt" download className={buildButtonClass()}>
          <StaticIcon of={downloadIcon} />
          {t("download")}
        </a>
        <ReceiptActions receipt={receipt} />
      </div>
      <p className="max-w-[60ch] no-print">{t("receiptSafe")}</p>
      <ConfirmationForm title={t("savedTitle")} hint={t("savedHint")} button={t("goOn")} />
    </>
  );
}

/** The words on a device of the team, for the reporter to take along: nothing is left of them here. */
export function HandOverView({ receipt, address }: { receipt: string; address: string }) {
  const t = useTranslator("mailbox");
  return (
    <>
      <header className="grid max-w-[60ch] gap-3">
        <StaticIcon of={keyRoundIcon} size={32} className="text-accent no-print" />
        <h1 className="text-2xl sm:text-3xl">{t("handOver.title")}</h1>
        <p className="text-lg">{t("handOver.lead")}</p>
        <p className="wrap-anywhere">{t("handOver.place", { address: isolateBidi(address) })}</p>
      </header>
      <ReceiptList receipt={receipt} />
      <div className="flex flex-wrap gap-3 no-print">
        <ReceiptPrintButton />
      </div>
      <p className="max-w-[60ch] no-print">{t("receiptSafe")}</p>
      <p className="max-w-[60ch] no-print">{t("handOver.forget")}</p>
      <ConfirmationForm
        title={t("handOver.savedTitle")}
        hint={t("handOver.savedHint")}
        button={t("handOver.goOn")}
        handsOver
      />
    </>
  );
}

/** What the device shows once it has forgotten the words. */
export function HandedOverView() {
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

function ReceiptList({ receipt }: { receipt: string }) {
  const t = useTranslator("mailbox");
  return (
    <ol
      lang="en"
      dir="ltr"
      className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-3"
      aria-label={t("receipt")}
    >
      {receipt.split(" ").map((word, at) => (
        <li
          key={at}
          className="flex min-h-11 items-baseline gap-2 rounded-control border border-edge bg-surface px-3 py-2 text-lg"
        >
          <span className="text-sm text-muted tabular-nums" aria-hidden="true">
            {at + 1}
          </span>
          <span className="font-[650] wrap-anywhere">{word}</span>
        </li>
      ))}
    </ol>
  );
}

type ConfirmationProps = { title: string; hint: string; button: string; handsOver?: boolean };

function ConfirmationForm({ title, hint, button, handsOver = false }: ConfirmationProps) {
  const t = useTranslator("mailbox");
  return (
    <Form
      action={handsOver ? handOverReceiptAction : confirmReceiptAction}
      label={title}
      className="max-w-[60ch] no-print"
    >
      <div className="grid gap-1">
        <h2 className="text-xl">{title}</h2>
        <p className="text-muted">{hint}</p>
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        {CONFIRMATION_PLACES.map((place) => (
          <TextField
            key={place}
            name={`word${place}`}
            label={t("wordOf", { place })}
            markOptional={false}
            autoComplete="off"
            spellCheck={false}
          />
        ))}
      </div>
      <FormActions>
        <SubmitButton>{button}</SubmitButton>
      </FormActions>
    </Form>
  );
}
