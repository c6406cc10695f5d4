import type { Metadata } from "next";
import { useWords } from "#words";
import { AccountFrame } from "#components/account/account-frame.tsx";
import { MailedLinkForm } from "#components/account/mailed-link-form.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { LinkButton } from "#components/ui/button.tsx";
import { showVerification } from "#lib/accounts/operations.ts";
import { show } from "#lib/api/page.ts";
import type { Query } from "#lib/design/query.ts";
import { verifyEmailAction } from "../actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageWords("signIn"))("confirm.name") };
}

/** The link of the mail confirms nothing by being opened: mail programs open links, too. */
export default page(async function VerifyEmail({ searchParams }: { searchParams: Promise<Query> }) {
  const { token, after } = await searchParams;
  if (after === "confirmed") return <Verified />;
  const known = typeof token === "string" && token.length > 0 && token.length <= 200;
  const link = known ? await show(showVerification, {}, { token }) : null;
  if (!known || !link?.usable) return <Unusable />;
  return <Verify token={token} needsPassword={link.needsPassword} />;
}, NarrowFrame);

function Verify({ token, needsPassword }: { token: string; needsPassword: boolean }) {
  const t = useWords("signIn");
  return (
    <AccountFrame title={t("verify.title")} lead={t("verify.lead")}>
      <MailedLinkForm
        action={verifyEmailAction}
        token={token}
        needsPassword={needsPassword}
        title={t("verify.title")}
        submit={t("verify.submit")}
      />
    </AccountFrame>
  );
}

function Verified() {
  const t = useWords("signIn");
  return (
    <AccountFrame title={t("verify.done")} lead={t("verify.doneLead")}>
      <div>
        <LinkButton href="/login" variant="primary">
          {t("confirm.goOn")}
        </LinkButton>
      </div>
    </AccountFrame>
  );
}

function Unusable() {
  const t = useWords("signIn");
  return (
    <AccountFrame title={t("confirm.unusable")} lead={t("verify.unusableLead")}>
      <div>
        <LinkButton href="/account" variant="primary">
          {t("confirm.goOn")}
        </LinkButton>
      </div>
    </AccountFrame>
  );
}
