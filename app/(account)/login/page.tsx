import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { useTranslator } from "#i18n";
import { SignInPageFrame } from "#components/account/account-frame.tsx";
import { QuestionWithLink } from "#components/account/question-link.tsx";
import { SignInFields } from "#components/account/sign-in-fields.tsx";
import { SupportContact } from "#components/account/support-contact.tsx";
import {
  type SignInOriginEvent,
  findSignInOriginEvent,
  SignInEmergencyNotice,
  ReportAccountRequirementNotice,
} from "#components/event/report-access-notice.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { SignedOutAnnouncement } from "#components/shell/signed-out-announcement.tsx";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { checkSetup } from "#lib/accounts/operations.ts";
import { chooseHomePath, parseNextPath, addNextParameter } from "#lib/http/next-path.ts";
import { loadPageData, getCurrentActor } from "#lib/http/page.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { signInAction } from "../actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("signIn"))("signIn") };
}

export default definePage(async function SignIn({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await searchParams;
  const next = parseNextPath(query.next);
  const actor = await getCurrentActor();
  if (actor) redirect(next ?? chooseHomePath(actor));
  const from = await findSignInOriginEvent(next);
  const after = String(query.after ?? "");
  return <SignInForm {...await loadPageData(checkSetup)} after={after} next={next} from={from} />;
}, NarrowFrame);

/**
 * The path of an event's page or of its report form, without a query. A person who comes from there is taken for a new
 * visitor and isn't told that a session has ended. A form that comes back after its session ended has a query
 * (`?return=`).
 */
const NEW_VISIT_PATTERN = /^\/e\/[^/?#]+(?:\/report)?$/;

/**
 * Returns whether the person comes from the event's page or report form, and can report there without an account. The
 * page then offers that first.
 */
const canReportInstead = (next: string | null, from: SignInOriginEvent | null): boolean =>
  NEW_VISIT_PATTERN.test(next ?? "") && from?.settings?.withoutAccount === true;

type Props = {
  registration: "open" | "invite";
  supportContact: string | null;
  after: string;
  next: string | null;
  from: SignInOriginEvent | null;
};

function SignInForm({ registration, supportContact, after, next, from }: Props) {
  const t = useTranslator("signIn");
  const isChoice = after === "" && canReportInstead(next, from);
  const access = <ReportAccountRequirementNotice from={from} registration={registration} />;
  return (
    <SignInPageFrame
      title={t("signIn")}
      exit={from?.exit}
      notice={isChoice ? access : <ArrivalNotice after={after} next={next} />}
      after={
        <>
          {!isChoice && access}
          <QuestionWithLink question={t("forgotQuestion")} href="/forgot-password" label={t("forgotLink")} />
          {registration === "open" && (
            <QuestionWithLink
              question={t("noAccountQuestion")}
              href={addNextParameter("/register", next)}
              label={t("createAccount")}
            />
          )}
          <SupportContact contact={supportContact} />
          <SignInEmergencyNotice from={from} />
        </>
      }
    >
      <Form action={signInAction} hidden={{ next }} label={t("signIn")}>
        <ClientMessagesProvider of={["signInForm"]}>
          <SignInFields />
        </ClientMessagesProvider>
        <FormActions>
          <SubmitButton pendingLabel={t("signingIn")}>{t("signIn")}</SubmitButton>
        </FormActions>
      </Form>
    </SignInPageFrame>
  );
}

/** Says why the person is on this page: something just completed, or a page required sign-in. */
function ArrivalNotice({ after, next }: { after: string; next: string | null }) {
  const t = useTranslator("signIn");
  const done = DONE_CODES.find((known) => known === after);
  if (done) {
    return (
      <Notice kind="success" title={t(`after.${done}.title`)}>
        <p>{t(`after.${done}.text`)}</p>
        {done === "sign-out" && <SignedOutAnnouncement />}
      </Notice>
    );
  }
  if (!next) return null;
  return (
    <Notice title={t("goOn.title")}>
      <p>
        {t("goOn.text")} {!NEW_VISIT_PATTERN.test(next) && t("goOn.ended")}
      </p>
    </Notice>
  );
}

/** Values of `after` in the URL: the action that led the person here. */
const DONE_CODES = ["sign-out", "reset", "deleted", "register", "first-account"] as const;
