import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { SignInPageFrame } from "#components/account/account-frame.tsx";
import { QuestionWithLink } from "#components/account/question-link.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { forgotPasswordAction } from "../actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("signIn"))("forgot.title") };
}

export default definePage(function ForgotPassword() {
  const t = useTranslator("signIn");
  return (
    <SignInPageFrame
      title={t("forgot.title")}
      lead={t("forgot.lead")}
      after={<QuestionWithLink question={t("forgot.remembered")} href="/login" label={t("signIn")} />}
    >
      <Form action={forgotPasswordAction} resetOnSuccess label={t("forgot.form")}>
        <TextField name="email" type="email" label={t("email")} autoComplete="username" required />
        <FormActions>
          <SubmitButton pendingLabel={t("forgot.pending")}>{t("forgot.submit")}</SubmitButton>
        </FormActions>
      </Form>
    </SignInPageFrame>
  );
}, NarrowFrame);
