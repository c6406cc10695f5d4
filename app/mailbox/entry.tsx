import { useTranslator } from "#i18n";
import { openMailboxAction } from "./actions.ts";
import { TextArea } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { MAX_RECEIPT_LENGTH } from "#lib/mailbox/schema.ts";
import { ProofFields } from "#components/mailbox/proof-fields.tsx";

/** The field for the seven words. A message that arrived too late for its mailbox is shown, to be copied. */
export function MailboxEntry({ lostMessage }: { lostMessage: string | undefined }) {
  const t = useTranslator("mailbox");
  return (
    <>
      {lostMessage && (
        <Notice kind="warning" title={t("lost")} live>
          <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
            {lostMessage}
          </p>
        </Notice>
      )}
      <header className="grid max-w-[60ch] gap-3">
        <h1 className="text-2xl sm:text-3xl">{t("openTitle")}</h1>
        <p className="text-lg">{t("openLead")}</p>
      </header>
      <Form action={openMailboxAction} label={t("openTitle")} className="max-w-[60ch]">
        <ProofFields />
        <TextArea
          name="receipt"
          label={t("receipt")}
          hint={t("receiptHint")}
          rows={3}
          maxLength={MAX_RECEIPT_LENGTH}
          autoComplete="off"
          spellCheck={false}
          required
        />
        <FormActions>
          <SubmitButton pendingLabel={t("opening")}>{t("open")}</SubmitButton>
        </FormActions>
      </Form>
      <p className="max-w-[60ch] text-muted">{t("lostReceipt")}</p>
    </>
  );
}
