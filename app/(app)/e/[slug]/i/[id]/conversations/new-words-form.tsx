import { useTranslator } from "#i18n";
import { FormFieldsDisclosure } from "#components/ui/form-fields-disclosure.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { renewWordsAction } from "./actions.ts";
import { NewWordsNotice } from "./new-words-notice.tsx";

/** The form that gives a conversation new words, and shows them once. */
export function RenewWordsForm({ hidden }: { hidden: Record<string, string> }) {
  const t = useTranslator("conversations");
  return (
    <Form action={renewWordsAction} hidden={hidden} label={t("renew")} className="max-w-[60ch] gap-3">
      <FormFieldsDisclosure summary={t("renew")}>
        <div className="grid gap-4 py-2">
          <p>{t("renewText")}</p>
          <FormActions>
            <SubmitButton pendingLabel={t("creating")}>{t("renewConfirm")}</SubmitButton>
          </FormActions>
        </div>
      </FormFieldsDisclosure>
      <NewWordsNotice />
    </Form>
  );
}
