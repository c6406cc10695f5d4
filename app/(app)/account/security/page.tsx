import { LogOut, ShieldOff } from "lucide-react";
import type { Metadata } from "next";
import { AccountHead } from "#components/account/account-head.tsx";
import { DoneNotice } from "#components/account/done-notice.tsx";
import { FactorSteps } from "#components/account/factor-steps.tsx";
import { counted } from "#components/incident/words.ts";
import { page } from "#components/shell/page.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { TextLink } from "#components/ui/link.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Pagination } from "#components/ui/pagination.tsx";
import { Time } from "#components/ui/time.tsx";
import { VisuallyHidden } from "#components/ui/visually-hidden.tsx";
import { listOwnSessions, showOwnAccount } from "#lib/accounts/own-operations.ts";
import { MIN_PASSWORD_LENGTH } from "#lib/accounts/passwords.ts";
import { sameSitePath } from "#lib/api/next-path.ts";
import { show } from "#lib/api/page.ts";
import type { Query } from "#lib/design/query.ts";
import {
  changePasswordAction,
  endOtherSessionsAction,
  endSessionAction,
  removeFactorAction,
  setUpFactorAction,
} from "./actions.ts";

export const metadata: Metadata = { title: "Security" };

const PATH = "/account/security";

/** Second factor, password, and where one is signed in. `next` is the page that asked for a second factor. */
export default page(async function Security({ searchParams }: { searchParams: Promise<Query> }) {
  const query = await searchParams;
  const [{ account }, { sessions, pagination }] = await Promise.all([
    show(showOwnAccount),
    show(listOwnSessions, {}, { page: query.page }),
  ]);
  const next = sameSitePath(query.next);
  return (
    <div className="grid gap-6">
      <AccountHead current="security" />
      <DoneNotice after={query.after} words={DONE} />
      <div className="grid max-w-2xl gap-6">
        {next && <WayBack next={next} enabled={account.secondFactor.enabled} />}
        <SecondFactor factor={account.secondFactor} next={next} after={String(query.after ?? "")} />
        <Password />
        <Sessions sessions={sessions} total={pagination.total} now={new Date()} />
        <Pagination path={PATH} query={query} page={pagination.page} pages={pagination.totalPages} />
      </div>
    </div>
  );
});

const DONE = {
  "factor-off": "Your second factor is off. Signing in takes your password alone again.",
  "session-ended": "That device is signed out.",
  "others-ended": "All other devices are signed out.",
};

function WayBack({ next, enabled }: { next: string; enabled: boolean }) {
  return (
    <Notice kind={enabled ? "success" : "info"} title="The page you asked for needs a second factor">
      <p>
        {enabled ? "You have one. " : "Set it up here, then go back. "}
        <TextLink href={next} prefetch={false} className="inline-flex min-h-11 items-center">
          Back to the page
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

/** The form is there in every state, since the recovery codes are its answer. */
function SecondFactor({ factor, next, after }: { factor: Factor; next: string | null; after: string }) {
  return (
    <Card title="Second factor">
      <div className="grid gap-5">
        <Form key={after} action={setUpFactorAction} label="Second factor">
          <FactorSteps
            enabled={factor.enabled}
            next={next ?? PATH}
            status={factor.enabled ? <On factor={factor} /> : <Off requiredBy={factor.requiredBy} />}
          />
        </Form>
        {factor.enabled && <Change requiredBy={factor.requiredBy} />}
      </div>
    </Card>
  );
}

function On({ factor: { since, recoveryCodesLeft } }: { factor: Factor }) {
  return (
    <div className="grid justify-items-start gap-3">
      <Badge tone="positive">On</Badge>
      <p>
        Signing in takes a code of your app as well
        {since && (
          <>
            , since <Time value={since} show="date" />
          </>
        )}
        .
      </p>
      {recoveryCodesLeft < FEW_CODES ? (
        <Notice kind="warning">
          <p>
            {recoveryCodesLeft === 0
              ? "No recovery code is"
              : `Only ${counted(recoveryCodesLeft, "recovery code")}`}{" "}
            left. Make new ones while you still have your app.
          </p>
        </Notice>
      ) : (
        <p className="text-muted">{counted(recoveryCodesLeft, "recovery code")} left.</p>
      )}
    </div>
  );
}

const FEW_CODES = 3;

function Off({ requiredBy }: { requiredBy: Factor["requiredBy"] }) {
  return (
    <div className="grid justify-items-start gap-3">
      <Badge tone="neutral">Off</Badge>
      {requiredBy.length > 0 && (
        <Notice kind="warning" title="Some of your roles wait for it">
          <p>
            {requiredBy.map(({ name }) => name).join(", ")} asks everybody on its team for a second factor.
          </p>
        </Notice>
      )}
      <p>
        With a second factor, signing in takes a code from an app on your phone as well as your password. Who
        learns your password then still can&apos;t read what you can read.
      </p>
    </div>
  );
}

function Change({ requiredBy }: { requiredBy: Factor["requiredBy"] }) {
  return (
    <div className="no-print flex flex-wrap items-start gap-3 border-t border-line pt-5">
      <LinkButton href={`${PATH}/recovery-codes`}>New recovery codes</LinkButton>
      <Form
        action={removeFactorAction}
        label="Switch the second factor off"
        dialog={{ trigger: "Switch off…", variant: "quiet", title: "Switch the second factor off?" }}
      >
        <p>
          Signing in then takes your password alone.
          {requiredBy.length > 0 &&
            ` Your roles at ${requiredBy.map(({ name }) => name).join(", ")} stop working until you set one up again.`}
        </p>
        <TextField
          name="password"
          type="password"
          label="Your password"
          autoComplete="current-password"
          required
        />
        <TextField
          name="code"
          label="Code"
          hint="The six digits that your app shows, or one of your recovery codes."
          autoComplete="one-time-code"
          maxLength={40}
          spellCheck={false}
          required
        />
        <FormActions>
          <SubmitButton variant="danger" pendingLabel="One moment…">
            <Icon as={ShieldOff} /> Switch off
          </SubmitButton>
        </FormActions>
      </Form>
    </div>
  );
}

function Password() {
  return (
    <Card title="Password">
      <Form action={changePasswordAction} label="Password" resetOnSuccess>
        <TextField
          name="currentPassword"
          type="password"
          label="Present password"
          autoComplete="current-password"
          required
        />
        <TextField
          name="newPassword"
          type="password"
          label="New password"
          hint={`At least ${MIN_PASSWORD_LENGTH} characters. All your other devices are signed out with the change.`}
          autoComplete="new-password"
          required
        />
        <FormActions>
          <SubmitButton pendingLabel="Saving…">Change password</SubmitButton>
        </FormActions>
      </Form>
    </Card>
  );
}

type Session = { id: string; device: string; createdAt: string; lastUsedAt: string; current: boolean };

function Sessions({ sessions, total, now }: { sessions: Session[]; total: number; now: Date }) {
  return (
    <Card title="Where you are signed in" id="sessions">
      <div className="grid gap-5">
        <ul className="divide-y divide-line">
          {sessions.map((session) => (
            <li
              key={session.id}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 first:pt-0"
            >
              <div className="grid min-w-0 gap-0.5">
                <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <span className="font-[550]">{session.device}</span>
                  {session.current && <Badge tone="positive">This device</Badge>}
                </p>
                <p className="flex flex-wrap gap-x-4 text-sm text-muted">
                  <span>
                    Last used <Time value={session.lastUsedAt} now={now} />
                  </span>
                  <span>
                    Signed in <Time value={session.createdAt} now={now} />
                  </span>
                </p>
              </div>
              {!session.current && (
                <Form action={endSessionAction} hidden={{ sessionId: session.id }}>
                  <SubmitButton variant="secondary" pendingLabel="Signing out…">
                    Sign out <VisuallyHidden>{session.device}</VisuallyHidden>
                  </SubmitButton>
                </Form>
              )}
            </li>
          ))}
        </ul>
        {total > 1 && (
          <Form action={endOtherSessionsAction} label="Other devices">
            <FormActions>
              <SubmitButton variant="secondary" pendingLabel="Signing out…">
                <Icon as={LogOut} /> Sign out all other devices
              </SubmitButton>
            </FormActions>
          </Form>
        )}
      </div>
    </Card>
  );
}
