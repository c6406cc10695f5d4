import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { useTranslator } from "#i18n";
import { SignInPageFrame } from "#components/account/account-frame.tsx";
import { RegistrationFields } from "#components/account/registration-fields.tsx";
import { QuestionWithLink } from "#components/account/question-link.tsx";
import { SupportContact } from "#components/account/support-contact.tsx";
import {
  type SignInOriginEvent,
  findSignInOriginEvent,
  SignInEmergencyNotice,
  ReportAccountRequirementNotice,
} from "#components/event/report-access-notice.tsx";
import { NarrowFrame } from "#components/shell/narrow-frame.tsx";
import { definePage } from "#components/shell/page.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { checkSetup } from "#lib/accounts/operations.ts";
import { MIN_PASSWORD_LENGTH } from "#lib/accounts/passwords.ts";
import { MAX_PERSON_NAME_LENGTH } from "#lib/accounts/schema.ts";
import { chooseHomePath, parseNextPath, addNextParameter } from "#lib/http/next-path.ts";
import { loadPageData, getCurrentActor } from "#lib/http/page.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { registerAndSignInAction } from "../actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("signIn"))("createAccount") };
}

export default definePage(async function Register({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const next = parseNextPath((await searchParams).next);
  const actor = await getCurrentActor();
  if (actor) redirect(next ?? chooseHomePath(actor));
  const { needsFirstAccount, registration, supportContact } = await loadPageData(checkSetup);
  const rest = { next, supportContact, from: await findSignInOriginEvent(next) };
  if (registration === "invite" && !needsFirstAccount) return <InviteOnlyMessage {...rest} />;
  return <RegistrationForm {...rest} first={needsFirstAccount} />;
}, NarrowFrame);

type Props = { next: string | null; supportContact: string | null; from: SignInOriginEvent | null };

function RegistrationForm({ next, supportContact, from, first }: Props & { first: boolean }) {
  const t = useTranslator("signIn");
  return (
    <SignInPageFrame
      title={first ? t("register.first") : t("createAccount")}
      lead={first ? undefined : t("register.lead")}
      exit={from?.exit}
      notice={
        first ? <FirstAccountNotice /> : <ReportAccountRequirementNotice from={from} registration="open" />
      }
      after={<AfterForm next={next} supportContact={supportContact} from={from} />}
    >
      <Form action={registerAndSignInAction} hidden={{ next }} label={t("createAccount")}>
        <RegistrationFields minPassword={MIN_PASSWORD_LENGTH} maxName={MAX_PERSON_NAME_LENGTH} />
        <FormActions>
          <SubmitButton pendingLabel={t("register.pending")}>{t("register.submit")}</SubmitButton>
        </FormActions>
      </Form>
    </SignInPageFrame>
  );
}

/** Replaces the form, which the server would only refuse. */
function InviteOnlyMessage({ next, supportContact, from }: Props) {
  const t = useTranslator("signIn");
  return (
    <SignInPageFrame
      title={t("register.byInvite")}
      lead={t("register.byInviteLead")}
      exit={from?.exit}
      notice={<ReportAccountRequirementNotice from={from} registration="invite" />}
      after={<AfterForm next={next} supportContact={supportContact} from={from} />}
    >
      <p className="text-muted">{t("register.byInviteWhy")}</p>
    </SignInPageFrame>
  );
}

function AfterForm({ next, supportContact, from }: Props) {
  const t = useTranslator("signIn");
  return (
    <>
      <QuestionWithLink
        question={t("register.have")}
        href={addNextParameter("/login", next)}
        label={t("signIn")}
      />
      <SupportContact contact={supportContact} />
      <SignInEmergencyNotice from={from} />
    </>
  );
}

function FirstAccountNotice() {
  const t = useTranslator("signIn");
  return (
    <Notice title={t("register.firstTitle")}>
      <p>{t("register.firstText")}</p>
    </Notice>
  );
}
