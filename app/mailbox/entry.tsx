import { useTranslator } from "#i18n";
import { ProofOfWorkFields } from "#components/mailbox/proof-fields.tsx";
import { TextArea } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { UserText } from "#components/ui/user-text.tsx";
import { MAX_WORDS_LENGTH } from "#lib/conversations/schema.ts";
import { openMailboxAction } from "./actions.ts";

type Props = {
  lostMessage: string | undefined;
  /** The mailbox that was open on this device was closed for good. */
  isClosed: boolean;
};

/**
 * The one door: the field for the seven words, whoever has them. A message that arrived too late for its mailbox is
 * shown, to be copied.
 */
export function MailboxEntryForm({ lostMessage, isClosed }: Props) {
  const t = useTranslator("mailbox");
  return (
    <>
      {lostMessage && (
        <Notice kind="warning" title={t(isClosed ? "lostClosed" : "lost")} live>
          <UserText>{lostMessage}</UserText>
        </Notice>
      )}
      <header className="grid max-w-[60ch] gap-3">
        <h1 className="text-2xl sm:text-3xl">{t("openTitle")}</h1>
        <p className="text-lg">{t("openLead")}</p>
      </header>
      <Form action={openMailboxAction} label={t("openTitle")} className="max-w-[60ch]">
        <ProofOfWorkFields />
        <TextArea
          name="words"
          label={t("receipt")}
          hint={t("receiptHint")}
          rows={3}
          maxLength={MAX_WORDS_LENGTH}
          autoComplete="off"
          spellCheck={false}
          required
        />
        <FormActions>
          <SubmitButton pendingLabel={t("opening")}>{t("open")}</SubmitButton>
        </FormActions>
      </Form>
      <p className="max-w-[60ch] text-muted">{t("lostWords")}</p>
    </>
  );
}
