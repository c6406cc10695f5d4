import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { AccountHeader } from "#components/account/account-header.tsx";
import { CompletedActionNotice } from "#components/shell/done-notice.tsx";
import { ReauthenticationFields } from "#components/account/reauthentication.tsx";
import { SecondFactorSetupSteps } from "#components/account/factor-steps.tsx";
import { definePage } from "#components/shell/page.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { ClientMessagesProvider } from "#components/i18n/client-messages.tsx";
import type { Translator } from "#components/i18n/translator.ts";
import { Badge } from "#components/ui/badge.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { useCommaJoiner } from "#components/ui/text-joiner.ts";
import { Notice } from "#components/ui/notice.tsx";
import { PaginationNav } from "#components/ui/pagination.tsx";
import { Time } from "#components/ui/time.tsx";
import { VisuallyHidden } from "#components/ui/visually-hidden.tsx";
import { UNNAMED_PROGRAM_LABEL, UNKNOWN_DEVICE_LABEL } from "#lib/accounts/devices.ts";
import { listSessions, showOwnAccount } from "#lib/own-account/operations.ts";
import { MIN_PASSWORD_LENGTH } from "#lib/accounts/passwords.ts";
import { parseNextPath } from "#lib/http/next-path.ts";
import { loadPageData } from "#lib/http/page.ts";
import type { SearchParams } from "#lib/design/query.ts";
import {
  changePasswordAction,
  revokeOtherSessionsAction,
  revokeSessionAction,
  removeSecondFactorAction,
  setUpSecondFactorAction,
} from "./actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("account"))("tab.security") };
}

const PATH = "/account/security";

/** Two-factor sign-in, password, and active sessions. `next` is the page that required two-factor sign-in. */
export default definePage(async function Security({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const query = await searchParams;
  const [{ account }, { sessions, pagination }] = await Promise.all([
    loadPageData(showOwnAccount),
    loadPageData(listSessions, {}, { page: query.page }),
  ]);
  const next = parseNextPath(query.next);
  const t = await getTranslator("account");
  return (
    <div className="grid gap-6">
      <AccountHeader current="security" />
      <CompletedActionNotice after={query.after} messages={buildDoneMessages(t)} />
      <div className="grid max-w-2xl gap-6">
        {next && <ReturnLink next={next} enabled={account.secondFactor.enabled} />}
        <SecondFactor factor={account.secondFactor} next={next} after={String(query.after ?? "")} />
        <PasswordForm />
        <SessionList sessions={sessions} total={pagination.total} now={new Date()} />
        <PaginationNav path={PATH} query={query} page={pagination.page} pages={pagination.totalPages} />
      </div>
    </div>
  );
});

const buildDoneMessages = (t: Translator<"account">) => ({
  "factor-off": t("done.factor-off"),
  "session-ended": t("done.session-ended"),
  "others-ended": t("done.others-ended"),
});

function ReturnLink({ next, enabled }: { next: string; enabled: boolean }) {
  const t = useTranslator("account");
  return (
    <Notice kind={enabled ? "success" : "info"} title={t("wayBack")}>
      <p>
        {enabled ? t("wayBackOn") : t("wayBackOff")}{" "}
        <TextLink href={next} prefetch={false} className="inline-flex min-h-11 items-center">
          {t("wayBackLink")}
        </TextLink>
      </p>
    </Notice>
  );
}

type Factor = {
  enabled: boolean;
  since: string | null;
  recoveryCodesLeft: number;
  requiredBy: { id: string; name: string }[];
};

/** The form is rendered in every state, because its response shows the recovery codes. */
function SecondFactor({ factor, next, after }: { factor: Factor; next: string | null; after: string }) {
  const t = useTranslator("account");
  return (
    <Card title={t("factor")}>
      <div className="grid gap-5">
        <Form key={after} action={setUpSecondFactorAction} label={t("factor")}>
          <ClientMessagesProvider of={["factor"]}>
            <SecondFactorSetupSteps
              enabled={factor.enabled}
              next={next ?? PATH}
              status={
                factor.enabled ? (
                  <SecondFactorEnabled factor={factor} />
                ) : (
                  <SecondFactorDisabled requiredBy={factor.requiredBy} />
                )
              }
            />
          </ClientMessagesProvider>
        </Form>
        {factor.enabled && <SecondFactorChangeForms requiredBy={factor.requiredBy} />}
      </div>
    </Card>
  );
}

function SecondFactorEnabled({ factor: { since, recoveryCodesLeft } }: { factor: Factor }) {
  const t = useTranslator("account");
  return (
    <div className="grid justify-items-start gap-3">
      <Badge tone="positive">{t("on")}</Badge>
      <p>
        {since
          ? t.rich("factorSince", { time: () => <Time key="since" value={since} show="date" /> })
          : t("factorOn")}
      </p>
      {recoveryCodesLeft < MIN_RECOVERY_CODES ? (
        <Notice kind="warning">
          <p>{t("codesFew", { count: recoveryCodesLeft })}</p>
        </Notice>
      ) : (
        <p className="text-muted">{t("codesLeft", { count: recoveryCodesLeft })}</p>
      )}
    </div>
  );
}

const MIN_RECOVERY_CODES = 3;

function SecondFactorDisabled({ requiredBy }: { requiredBy: Factor["requiredBy"] }) {
  const t = useTranslator("account");
  const joinTexts = useCommaJoiner();
  return (
    <div className="grid justify-items-start gap-3">
      <Badge tone="neutral">{t("off")}</Badge>
      {requiredBy.length > 0 && (
        <Notice kind="warning" title={t("rolesWait")}>
          <p>{t("requiredBy", { names: joinTexts(requiredBy.map(({ name }) => name)) })}</p>
        </Notice>
      )}
      <p>{t("factorWhy")}</p>
    </div>
  );
}

function SecondFactorChangeForms({ requiredBy }: { requiredBy: Factor["requiredBy"] }) {
  const t = useTranslator("account");
  const joinTexts = useCommaJoiner();
  return (
    <div className="no-print flex flex-wrap items-start gap-3 border-t border-line pt-5">
      <LinkButton href={`${PATH}/recovery-codes`}>{t("newCodes")}</LinkButton>
      <Form
        action={removeSecondFactorAction}
        label={t("switchOffLabel")}
        dialog={{ trigger: t("switchOffTrigger"), variant: "quiet", title: t("switchOffTitle") }}
      >
        <p>
          {t("switchOffText")}{" "}
          {requiredBy.length > 0 &&
            t("switchOffRoles", { names: joinTexts(requiredBy.map(({ name }) => name)) })}
        </p>
        <ReauthenticationFields withCode />
        <FormActions>
          <SubmitButton variant="danger" pendingLabel={t("oneMoment")}>
            <Icon as="shield-off" /> {t("switchOff")}
          </SubmitButton>
          <DismissDialogButton outcome="leave" />
        </FormActions>
      </Form>
    </div>
  );
}

function PasswordForm() {
  const t = useTranslator("account");
  return (
    <Card title={t("password")}>
      <Form action={changePasswordAction} label={t("password")} resetOnSuccess>
        <TextField
          name="currentPassword"
          type="password"
          label={t("currentPassword")}
          autoComplete="current-password"
          required
        />
        <TextField
          name="newPassword"
          type="password"
          label={t("newPassword")}
          hint={t("newPasswordHint", { min: MIN_PASSWORD_LENGTH })}
          autoComplete="new-password"
          required
        />
        <FormActions>
          <SubmitButton pendingLabel={t("saving")}>{t("changePassword")}</SubmitButton>
        </FormActions>
      </Form>
    </Card>
  );
}

type Session = { id: string; device: string; createdAt: string; lastUsedAt: string; current: boolean };

function SessionList({ sessions, total, now }: { sessions: Session[]; total: number; now: Date }) {
  const t = useTranslator("account");
  return (
    <Card title={t("sessions")} id="sessions">
      <div className="grid gap-5">
        <ul className="divide-y divide-line">
          {sessions.map((session) => (
            <SessionItem key={session.id} session={session} now={now} />
          ))}
        </ul>
        {total > 1 && <OtherSessionsForm />}
      </div>
    </Card>
  );
}

function SessionItem({ session, now }: { session: Session; now: Date }) {
  const t = useTranslator("account");
  const { createdAt, lastUsedAt } = session;
  // A use is stored as the beginning of its quarter of an hour, which may lie before the sign-in.
  const shownLastUse = lastUsedAt > createdAt ? lastUsedAt : createdAt;
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 first:pt-0">
      <div className="grid min-w-0 gap-0.5">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-[550]">{translateDevice(t, session.device)}</span>
          {session.current && <Badge tone="positive">{t("thisDevice")}</Badge>}
        </p>
        <p className="flex flex-wrap gap-x-4 text-sm text-muted">
          <span>
            {t.rich("lastUsed", {
              time: () => <Time key="used" value={shownLastUse} now={now} />,
            })}
          </span>
          <span>
            {t.rich("signedInAt", {
              time: () => <Time key="since" value={createdAt} now={now} />,
            })}
          </span>
        </p>
      </div>
      {!session.current && (
        <Form action={revokeSessionAction} hidden={{ sessionId: session.id }}>
          <SubmitButton variant="secondary" pendingLabel={t("signingOut")}>
            {t.rich("signOutDevice", {
              device: translateDevice(t, session.device),
              hidden: (chunks) => <VisuallyHidden key="device">{chunks}</VisuallyHidden>,
            })}
          </SubmitButton>
        </Form>
      )}
    </li>
  );
}

function OtherSessionsForm() {
  const t = useTranslator("account");
  return (
    <Form action={revokeOtherSessionsAction} label={t("otherDevices")}>
      <FormActions>
        <SubmitButton variant="secondary" pendingLabel={t("signingOut")}>
          <Icon as="log-out" className="rtl:-scale-x-100" /> {t("signOutOthers")}
        </SubmitButton>
      </FormActions>
    </Form>
  );
}

const DEVICE_SEPARATOR = " on ";

/**
 * Translates the separator and the labels for an unnamed program and an unknown device. Names of browsers and systems
 * are the same in every language.
 */
function translateDevice(t: Translator<"account">, device: string): string {
  const at = device.lastIndexOf(DEVICE_SEPARATOR);
  const [browser, system] =
    at === -1 ? [] : [device.slice(0, at), device.slice(at + DEVICE_SEPARATOR.length)];
  const translateProgram = (name: string) => (name === UNNAMED_PROGRAM_LABEL ? t("deviceProgram") : name);
  if (browser && system) return t("deviceOn", { browser: translateProgram(browser), system });
  return device === UNKNOWN_DEVICE_LABEL ? t("deviceUnknown") : translateProgram(device);
}
