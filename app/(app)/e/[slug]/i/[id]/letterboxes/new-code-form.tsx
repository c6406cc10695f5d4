import { useTranslator } from "#i18n";
import { FormFieldsDisclosure } from "#components/ui/form-fields-disclosure.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { renewLetterboxCodeAction } from "./actions.ts";
import { NewLetterboxCodeNotice } from "./new-letterbox-code.tsx";

/** The form that gives a letterbox new words, and shows them once. */
export function RenewLetterboxCodeForm({ hidden }: { hidden: Record<string, string> }) {
  const t = useTranslator("letterboxes");
  return (
    <Form action={renewLetterboxCodeAction} hidden={hidden} label={t("renew")} className="max-w-[60ch] gap-3">
      <FormFieldsDisclosure summary={t("renew")}>
        <div className="grid gap-4 py-2">
          <p>{t("renewText")}</p>
          <FormActions>
            <SubmitButton pendingLabel={t("creating")}>{t("renewConfirm")}</SubmitButton>
          </FormActions>
        </div>
      </FormFieldsDisclosure>
      <NewLetterboxCodeNotice />
    </Form>
  );
}
