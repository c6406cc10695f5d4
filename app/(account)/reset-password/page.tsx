import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { SignInPageFrame } from "#components/account/account-frame.tsx";
import { QuestionWithLink } from "#components/account/question-link.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { LinkButton } from "#components/ui/button.tsx";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Time } from "#components/ui/time.tsx";
import { validateResetToken } from "#lib/accounts/operations.ts";
import { MIN_PASSWORD_LENGTH } from "#lib/accounts/passwords.ts";
import { loadPageData } from "#lib/http/page.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { resetPasswordAction } from "../actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("signIn"))("forgot.title") };
}

export default definePage(async function ResetPassword({
  searchParams,
}: {
  searchParams: Promise<SearchParams>;
}) {
  const { token } = await searchParams;
  const resetRequest =
    typeof token === "string" && token ? await loadPageData(validateResetToken, {}, { token }) : null;
  if (typeof token !== "string" || !resetRequest?.valid) return <UnusableLinkMessage />;
  return (
    <NewPasswordForm token={token} email={resetRequest.email ?? ""} expiresAt={resetRequest.expiresAt} />
  );
}, NarrowFrame);

type Props = { token: string; email: string; expiresAt?: string };

function NewPasswordForm({ token, email, expiresAt }: Props) {
  const t = useTranslator("signIn");
  return (
    <SignInPageFrame
      title={t("reset.title")}
      lead={t.rich("reset.lead", {
        email,
        b: (chunks) => <bdi className="wrap-anywhere text-ink">{chunks}</bdi>,
      })}
      after={<QuestionWithLink href="/login" label={t("reset.keep")} />}
    >
      <Form action={resetPasswordAction} hidden={{ token }}>
        <TextField
          name="newPassword"
          type="password"
          label={t("newPassword")}
          hint={t("passwordHint", { min: MIN_PASSWORD_LENGTH })}
          autoComplete="new-password"
          required
        />
        <FormActions>
          <SubmitButton pendingLabel={t("reset.pending")}>{t("reset.submit")}</SubmitButton>
        </FormActions>
        {expiresAt && (
          <p className="text-sm text-muted">
            {t.rich("reset.until", { time: () => <Time key="until" value={expiresAt} /> })}
          </p>
        )}
      </Form>
    </SignInPageFrame>
  );
}

function UnusableLinkMessage() {
  const t = useTranslator("signIn");
  return (
    <SignInPageFrame
      title={t("reset.spent")}
      lead={t("reset.spentLead")}
      after={<QuestionWithLink question={t("reset.remembered")} href="/login" label={t("signIn")} />}
    >
      <div>
        <LinkButton href="/forgot-password" variant="primary">
          {t("reset.askNew")}
        </LinkButton>
      </div>
    </SignInPageFrame>
  );
}
