import { useTranslator } from "#i18n";
import { openLetterboxAction } from "./actions.ts";
import { ProofFields } from "#components/mailbox/proof-fields.tsx";
import { TextArea } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { MAX_RECEIPT_LENGTH } from "#lib/mailbox/schema.ts";

/** The field for the seven words. A letter that came too late for its letterbox is shown, to be copied. */
export function LetterboxCodeEntry({ lostText }: { lostText: string | undefined }) {
  const t = useTranslator("letterbox");
  return (
    <>
      {lostText && (
        <Notice kind="warning" title={t("lostText")} live>
          <p dir="auto" className="whitespace-pre-wrap wrap-anywhere">
            {lostText}
          </p>
        </Notice>
      )}
      <header className="grid max-w-[60ch] gap-3">
        <h1 className="text-2xl sm:text-3xl">{t("openTitle")}</h1>
        <p className="text-lg">{t("openLead")}</p>
      </header>
      <Form action={openLetterboxAction} label={t("openTitle")} className="max-w-[60ch]">
        <ProofFields />
        <TextArea
          name="code"
          label={t("code")}
          hint={t("codeHint")}
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
      <p className="max-w-[60ch] text-muted">{t("lost")}</p>
    </>
  );
}
