import { useTranslator } from "#i18n";
import { FormDisclosure } from "#components/ui/form-disclosure.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { renewLetterboxCodeAction } from "./actions.ts";
import { NewLetterboxCodeNotice } from "./new-letterbox-code.tsx";

/** The form that gives a letterbox new words, and shows them once. */
export function RenewLetterboxCodeForm({ hidden }: { hidden: Record<string, string> }) {
  const t = useTranslator("letterboxes");
  return (
    <Form action={renewLetterboxCodeAction} hidden={hidden} label={t("renew")} className="max-w-[60ch] gap-3">
      <FormDisclosure summary={t("renew")}>
        <div className="grid gap-4 py-2">
          <p>{t("renewText")}</p>
          <FormActions>
            <SubmitButton pendingLabel={t("creating")}>{t("renewConfirm")}</SubmitButton>
          </FormActions>
        </div>
      </FormDisclosure>
      <NewLetterboxCodeNotice />
    </Form>
  );
}
