import { useTranslator } from "#i18n";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import type { FormState } from "#lib/design/form-state.ts";
import { QuestionWithLink } from "./question-link.tsx";

type Props = {
  action: (state: FormState, form: FormData) => Promise<FormState>;
  token: string;
  /** Nobody is signed in to this account here. */
  needsPassword: boolean;
  title: string;
  /** Label of the button. */
  submit: string;
};

/**
 * The confirmation button behind a mailed link, with a password field if no session proves who owns the
 * account.
 */
export function ConfirmMailedLinkForm({ action, token, needsPassword, title, submit }: Props) {
  const t = useTranslator("signIn");
  return (
    <Form action={action} hidden={{ token }} label={title}>
      {needsPassword && (
        <div className="grid gap-2">
          <TextField
            name="password"
            type="password"
            label={t("password")}
            hint={t("verify.passwordHint")}
            autoComplete="current-password"
            required
          />
          <QuestionWithLink
            question={t("verify.forgot")}
            href="/forgot-password"
            label={t("verify.forgotLink")}
          />
        </div>
      )}
      <FormActions>
        <SubmitButton pendingLabel={t("confirm.pending")}>{submit}</SubmitButton>
      </FormActions>
    </Form>
  );
}
