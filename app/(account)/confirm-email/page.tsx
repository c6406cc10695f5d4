import type { Metadata } from "next";
import { useWords } from "#words";
import { AccountFrame } from "#components/account/account-frame.tsx";
import { SideLink } from "#components/account/side-link.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { LinkButton } from "#components/ui/button.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import type { Query } from "#lib/design/query.ts";
import { confirmEmailAction } from "../actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageWords("signIn"))("confirm.name") };
}

/** The link of the mail changes nothing by being opened: mail programs open links, too. */
export default page(async function ConfirmEmail({ searchParams }: { searchParams: Promise<Query> }) {
  const { token, after } = await searchParams;
  if (after === "confirmed") return <Confirmed />;
  if (typeof token !== "string" || !token) return <Unusable />;
  return <Confirm token={token} />;
}, NarrowFrame);

function Confirm({ token }: { token: string }) {
  const t = useWords("signIn");
  return (
    <AccountFrame
      title={t("confirm.title")}
      lead={t("confirm.lead")}
      after={<SideLink question={t("confirm.dont")} href="/" label={t("confirm.leave")} />}
    >
      <Form action={confirmEmailAction} hidden={{ token }} label={t("confirm.title")}>
        <FormActions>
          <SubmitButton pendingLabel={t("confirm.pending")}>{t("confirm.submit")}</SubmitButton>
        </FormActions>
      </Form>
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
