import type { Metadata } from "next";
import { useWords } from "#words";
import { AccountFrame } from "#components/account/account-frame.tsx";
import { MailedLinkForm } from "#components/account/mailed-link-form.tsx";
import { SideLink } from "#components/account/side-link.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { LinkButton } from "#components/ui/button.tsx";
import { showEmailChange } from "#lib/accounts/operations.ts";
import { show } from "#lib/api/page.ts";
import type { Query } from "#lib/design/query.ts";
import { confirmEmailAction } from "../actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageWords("signIn"))("confirm.name") };
}

/** The link of the mail changes nothing by being opened: mail programs open links, too. */
export default page(async function ConfirmEmail({ searchParams }: { searchParams: Promise<Query> }) {
  const { token, after } = await searchParams;
  if (after === "confirmed") return <Confirmed />;
  const known = typeof token === "string" && token.length > 0 && token.length <= 200;
  const link = known ? await show(showEmailChange, {}, { token }) : null;
  if (!known || !link?.usable) return <Unusable />;
  return <Confirm token={token} needsPassword={link.needsPassword} />;
}, NarrowFrame);

function Confirm({ token, needsPassword }: { token: string; needsPassword: boolean }) {
  const t = useWords("signIn");
  return (
    <AccountFrame
      title={t("confirm.title")}
      lead={t("confirm.lead")}
      after={<SideLink question={t("confirm.dont")} href="/" label={t("confirm.leave")} />}
    >
      <MailedLinkForm
        action={confirmEmailAction}
        token={token}
        needsPassword={needsPassword}
        title={t("confirm.title")}
        submit={t("confirm.submit")}
      />
    </AccountFrame>
  );
}

function Confirmed() {
  const t = useWords("signIn");
  return (
    <AccountFrame title={t("confirm.done")} lead={t("confirm.doneLead")}>
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
    <AccountFrame title={t("confirm.unusable")} lead={t("confirm.unusableLead")}>
      <div>
        <LinkButton href="/">{t("toStart")}</LinkButton>
      </div>
    </AccountFrame>
  );
}
