import { useTranslator } from "#i18n";
import { confirmReceiptAction } from "./actions.ts";
import { buildButtonClass } from "#components/ui/button-class.ts";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { StaticIcon } from "#components/ui/static-icon.tsx";
import { downloadIcon, keyRoundIcon } from "#lib/design/icons.ts";
import { ReceiptActions } from "#components/mailbox/receipt-actions.tsx";

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
      <ConfirmationForm />
    </>
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

function ConfirmationForm() {
  const t = useTranslator("mailbox");
  return (
    <Form action={confirmReceiptAction} label={t("savedTitle")} className="max-w-[60ch] no-print">
      <div className="grid gap-1">
        <h2 className="text-xl">{t("savedTitle")}</h2>
        <p className="text-muted">{t("savedHint")}</p>
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
        <SubmitButton>{t("goOn")}</SubmitButton>
      </FormActions>
    </Form>
  );
}
