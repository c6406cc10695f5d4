import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { useWords } from "#words";
import { AccountFrame } from "#components/account/account-frame.tsx";
import { RegistrationFields } from "#components/account/registration-fields.tsx";
import { SideLink } from "#components/account/side-link.tsx";
import { SupportLine } from "#components/account/support-line.tsx";
import { type ComingFrom, comingFrom, DangerThere, InviteNeeded } from "#components/event/invite-needed.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { checkSetup } from "#lib/accounts/operations.ts";
import { MIN_PASSWORD_LENGTH } from "#lib/accounts/passwords.ts";
import { MAX_PERSON_NAME } from "#lib/accounts/schema.ts";
import { homeOf, sameSitePath, withNext } from "#lib/http/next-path.ts";
import { show, viewer } from "#lib/http/page.ts";
import type { Query } from "#lib/design/query.ts";
import { registerAction } from "../actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageWords("signIn"))("createAccount") };
}

export default page(async function Register({ searchParams }: { searchParams: Promise<Query> }) {
  const next = sameSitePath((await searchParams).next);
  const actor = await viewer();
  if (actor) redirect(next ?? homeOf(actor));
  const { needsFirstAccount, registration, supportContact } = await show(checkSetup);
  const rest = { next, supportContact, from: await comingFrom(next) };
  if (registration === "invite" && !needsFirstAccount) return <ByInvite {...rest} />;
  return <Registration {...rest} first={needsFirstAccount} />;
}, NarrowFrame);

type Props = { next: string | null; supportContact: string | null; from: ComingFrom | null };

function Registration({ next, supportContact, from, first }: Props & { first: boolean }) {
  const t = useWords("signIn");
  return (
    <AccountFrame
      title={first ? t("register.first") : t("createAccount")}
      lead={first ? undefined : t("register.lead")}
      exit={from?.exit}
      notice={first ? <FirstAccount /> : <InviteNeeded from={from} />}
      after={
        <>
          <SideLink question={t("register.have")} href={withNext("/login", next)} label={t("signIn")} />
          <SupportLine contact={supportContact} />
          <DangerThere from={from} />
        </>
      }
    >
      <Form action={registerAction} hidden={{ next }} label={t("createAccount")}>
        <RegistrationFields minPassword={MIN_PASSWORD_LENGTH} maxName={MAX_PERSON_NAME} />
        <FormActions>
          <SubmitButton pendingLabel={t("register.pending")}>{t("register.submit")}</SubmitButton>
        </FormActions>
      </Form>
    </AccountFrame>
  );
}

/** There is no form: it could only be refused. */
function ByInvite({ next, supportContact, from }: Props) {
  const t = useWords("signIn");
  return (
    <AccountFrame
      title={t("register.byInvite")}
      lead={t("register.byInviteLead")}
      exit={from?.exit}
      notice={<InviteNeeded from={from} />}
      after={
        <>
          <SideLink question={t("register.have")} href={withNext("/login", next)} label={t("signIn")} />
          <SupportLine contact={supportContact} />
          <DangerThere from={from} />
        </>
      }
    >
      <p className="text-muted">{t("register.byInviteWhy")}</p>
    </AccountFrame>
  );
}

function FirstAccount() {
  const t = useWords("signIn");
  return (
    <Notice title={t("register.firstTitle")}>
      <p>{t("register.firstText")}</p>
    </Notice>
  );
}
