import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { AccountFrame } from "#components/account/account-frame.tsx";
import { RegistrationFields } from "#components/account/registration-fields.tsx";
import { SideLink } from "#components/account/side-link.tsx";
import { SupportLine } from "#components/account/support-line.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { checkSetup } from "#lib/accounts/operations.ts";
import { MIN_PASSWORD_LENGTH } from "#lib/accounts/passwords.ts";
import { MAX_PERSON_NAME } from "#lib/accounts/schema.ts";
import { homeOf, sameSitePath, withNext } from "#lib/api/next-path.ts";
import { show, viewer } from "#lib/api/page.ts";
import type { Query } from "#lib/design/query.ts";
import { registerAction } from "../actions.ts";

export const metadata: Metadata = { title: "Create an account" };

export default page(async function Register({ searchParams }: { searchParams: Promise<Query> }) {
  const next = sameSitePath((await searchParams).next);
  const actor = await viewer();
  if (actor) redirect(next ?? homeOf(actor));
  const { needsFirstAccount, registration, supportContact } = await show(checkSetup);
  if (registration === "invite" && !needsFirstAccount)
    return <ByInvite next={next} supportContact={supportContact} />;
  return (
    <AccountFrame
      title={needsFirstAccount ? "Create the first account" : "Create an account"}
      lead={
        needsFirstAccount
          ? undefined
          : "With an account you can follow your reports, and join a team that answers them."
      }
      notice={needsFirstAccount && <FirstAccount />}
      after={
        <>
          <SideLink question="Have an account already?" href={withNext("/login", next)} label="Sign in" />
          <SupportLine contact={supportContact} />
        </>
      }
    >
      <Form action={registerAction} hidden={{ next }} label="Create an account">
        <RegistrationFields minPassword={MIN_PASSWORD_LENGTH} maxName={MAX_PERSON_NAME} />
        <FormActions>
          <SubmitButton pendingLabel="Creating your account…">Create account</SubmitButton>
        </FormActions>
      </Form>
    </AccountFrame>
  );
}, NarrowFrame);

/** There is no form: it could only be refused. */
function ByInvite({ next, supportContact }: { next: string | null; supportContact: string | null }) {
  return (
    <AccountFrame
      title="Accounts are by invite here"
      lead="Open the link of your invite to create one. If you have none, ask the team of your event."
      after={
        <>
          <SideLink question="Have an account already?" href={withNext("/login", next)} label="Sign in" />
          <SupportLine contact={supportContact} />
        </>
      }
    >
      <p className="text-muted">The people who run this service have chosen so.</p>
    </AccountFrame>
  );
}

function FirstAccount() {
  return (
    <Notice title="Nobody has registered here yet">
      <p>
        The first account becomes the SystemAdmin. It runs this installation: it creates organizations and may
        open everything in them.
      </p>
    </Notice>
  );
}
