import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { AccountFrame } from "#components/account/account-frame.tsx";
import { SideLink } from "#components/account/side-link.tsx";
import { SignInFields } from "#components/account/sign-in-fields.tsx";
import { SupportLine } from "#components/account/support-line.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice, type NoticeKind } from "#components/ui/notice.tsx";
import { checkSetup } from "#lib/accounts/operations.ts";
import { homeOf, sameSitePath, withNext } from "#lib/api/next-path.ts";
import { show, viewer } from "#lib/api/page.ts";
import type { Query } from "#lib/design/query.ts";
import { signInAction } from "../actions.ts";

export const metadata: Metadata = { title: "Sign in" };

export default page(async function SignIn({ searchParams }: { searchParams: Promise<Query> }) {
  const query = await searchParams;
  const next = sameSitePath(query.next);
  const actor = await viewer();
  if (actor) redirect(next ?? homeOf(actor));
  const { registration, supportContact } = await show(checkSetup);
  return (
    <AccountFrame
      title="Sign in"
      notice={<Arrival after={String(query.after ?? "")} next={next} />}
      after={
        <>
          <SideLink question="Forgot your password?" href="/forgot-password" label="Set a new one" />
          {registration === "open" && (
            <SideLink
              question="No account yet?"
              href={withNext("/register", next)}
              label="Create an account"
            />
          )}
          <SupportLine contact={supportContact} />
        </>
      }
    >
      <Form action={signInAction} hidden={{ next }} label="Sign in">
        <SignInFields />
        <FormActions>
          <SubmitButton pendingLabel="Signing in…">Sign in</SubmitButton>
        </FormActions>
      </Form>
    </AccountFrame>
  );
}, NarrowFrame);

/** Why one is here: something was done, or a page asked for it. */
function Arrival({ after, next }: { after: string; next: string | null }) {
  const done = Object.hasOwn(DONE, after) ? DONE[after as keyof typeof DONE] : undefined;
  if (done) {
    return (
      <Notice kind={done.kind} title={done.title}>
        <p>{done.text}</p>
      </Notice>
    );
  }
  if (!next) return null;
  return (
    <Notice title="Sign in to go on">
      <p>
        The page you asked for needs it; you go there right after. If you were signed in before, your session
        has ended.
      </p>
    </Notice>
  );
}

const DONE = {
  "sign-out": {
    kind: "success",
    title: "You are signed out",
    text: "On this device. Nothing of yours is kept here.",
  },
  reset: {
    kind: "success",
    title: "Your new password is set",
    text: "Sign in with it. Other devices were signed out.",
  },
  deleted: {
    kind: "success",
    title: "Your account is deleted",
    text: "A last mail says so. Reports that you sent stay with their teams, without your name.",
  },
  register: { kind: "success", title: "Your account is ready", text: "Sign in with it to go on." },
  "first-account": {
    kind: "success",
    title: "Your account is ready",
    text: "It is the first one here, so it is the SystemAdmin: it runs this installation. Sign in to go on.",
  },
} satisfies Record<string, { kind: NoticeKind; title: string; text: string }>;
