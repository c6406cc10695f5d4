import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { useWords } from "#words";
import { AccountFrame } from "#components/account/account-frame.tsx";
import { SideLink } from "#components/account/side-link.tsx";
import { SignInFields } from "#components/account/sign-in-fields.tsx";
import { SupportLine } from "#components/account/support-line.tsx";
import { type ComingFrom, comingFrom, DangerThere, InviteNeeded } from "#components/event/invite-needed.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { page } from "#components/shell/page.tsx";
import { ClientWords } from "#components/words/client-words.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { checkSetup } from "#lib/accounts/operations.ts";
import { homeOf, sameSitePath, withNext } from "#lib/http/next-path.ts";
import { show, viewer } from "#lib/http/page.ts";
import type { Query } from "#lib/design/query.ts";
import { signInAction } from "../actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageWords("signIn"))("signIn") };
}

export default page(async function SignIn({ searchParams }: { searchParams: Promise<Query> }) {
  const query = await searchParams;
  const next = sameSitePath(query.next);
  const actor = await viewer();
  if (actor) redirect(next ?? homeOf(actor));
  const from = await comingFrom(next);
  const after = String(query.after ?? "");
  return <SignInForm {...await show(checkSetup)} after={after} next={next} from={from} />;
}, NarrowFrame);

type Props = {
  registration: "open" | "invite";
  supportContact: string | null;
  after: string;
  next: string | null;
  from: ComingFrom | null;
};

function SignInForm({ registration, supportContact, after, next, from }: Props) {
  const t = useWords("signIn");
  return (
    <AccountFrame
      title={t("signIn")}
      exit={from?.exit}
      notice={<Arrival after={after} next={next} />}
      after={
        <>
          <InviteNeeded from={from} />
          <SideLink question={t("forgotQuestion")} href="/forgot-password" label={t("forgotLink")} />
          {registration === "open" && (
            <SideLink
              question={t("noAccountQuestion")}
              href={withNext("/register", next)}
              label={t("createAccount")}
            />
          )}
          <SupportLine contact={supportContact} />
          <DangerThere from={from} />
        </>
      }
    >
      <Form action={signInAction} hidden={{ next }} label={t("signIn")}>
        <ClientWords of={["signInForm"]}>
          <SignInFields />
        </ClientWords>
        <FormActions>
          <SubmitButton pendingLabel={t("signingIn")}>{t("signIn")}</SubmitButton>
        </FormActions>
      </Form>
    </AccountFrame>
  );
}

/** Why one is here: something was done, or a page asked for it. */
function Arrival({ after, next }: { after: string; next: string | null }) {
  const t = useWords("signIn");
  const done = DONE.find((known) => known === after);
  if (done) {
    return (
      <Notice kind="success" title={t(`after.${done}.title`)}>
        <p>{t(`after.${done}.text`)}</p>
      </Notice>
    );
  }
  if (!next) return null;
  return (
    <Notice title={t("goOn.title")}>
      <p>{t("goOn.text")}</p>
    </Notice>
  );
}

/** What brings somebody here, as the address tells it. */
const DONE = ["sign-out", "reset", "deleted", "register", "first-account"] as const;
