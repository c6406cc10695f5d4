import { useTranslator } from "#i18n";
import { LinkButton } from "#components/ui/button.tsx";
import type { FormState } from "#lib/design/form-state.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { SignInPageFrame } from "./account-frame.tsx";
import { ConfirmMailedLinkForm } from "./mailed-link-form.tsx";
import { QuestionWithLink } from "./question-link.tsx";

type Props = {
  /** Confirms a change of email, or verifies an account's email. */
  kind: "confirm" | "verify";
  action: (state: FormState, form: FormData) => Promise<FormState>;
  query: SearchParams;
  /** The state of the query's token; null without a token. */
  link: { usable: boolean; needsPassword: boolean } | null;
};

/**
 * The page behind a mailed link about an email address: the form, its result, or a message that the link
 * can't be used.
 */
export function ConfirmEmailAddressPage({ kind, action, query, link }: Props) {
  const t = useTranslator("signIn");
  const token = parseMailedTokenParam(query);
  if (query.after === "confirmed") return <MailedLinkSuccess kind={kind} />;
  if (token === undefined || !link?.usable) return <MailedLinkUnusable kind={kind} />;
  const title = t(`${kind}.title`);
  return (
    <SignInPageFrame
      title={title}
      lead={t(`${kind}.lead`)}
      after={
        kind === "confirm" && (
          <QuestionWithLink question={t("confirm.dont")} href="/" label={t("confirm.leave")} />
        )
      }
    >
      <ConfirmMailedLinkForm
        action={action}
        token={token}
        needsPassword={link.needsPassword}
        title={title}
        submit={t(`${kind}.submit`)}
      />
    </SignInPageFrame>
  );
}

/** Returns the token of a mailed link; undefined if there is none or it is malformed. */
export function parseMailedTokenParam({ token }: SearchParams): string | undefined {
  return typeof token === "string" && token.length > 0 && token.length <= 200 ? token : undefined;
}

function MailedLinkSuccess({ kind }: Pick<Props, "kind">) {
  const t = useTranslator("signIn");
  return (
    <SignInPageFrame title={t(`${kind}.done`)} lead={t(`${kind}.doneLead`)}>
      <div>
        <LinkButton href="/login" variant="primary">
          {t("confirm.goOn")}
        </LinkButton>
      </div>
    </SignInPageFrame>
  );
}

/** Another verification link can be requested in the account. */
function MailedLinkUnusable({ kind }: Pick<Props, "kind">) {
  const t = useTranslator("signIn");
  return (
    <SignInPageFrame title={t("confirm.unusable")} lead={t(`${kind}.unusableLead`)}>
      <div>
        {kind === "verify" ? (
          <LinkButton href="/account" variant="primary">
            {t("confirm.goOn")}
          </LinkButton>
        ) : (
          <LinkButton href="/">{t("toStart")}</LinkButton>
        )}
      </div>
    </SignInPageFrame>
  );
}
