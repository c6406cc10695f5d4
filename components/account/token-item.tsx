import { useTranslator } from "#i18n";
import { Badge } from "#components/ui/badge.tsx";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Time } from "#components/ui/time.tsx";
import { VisuallyHidden } from "#components/ui/visually-hidden.tsx";
import type { FormState } from "#lib/design/form-state.ts";
import type { TokenScope } from "#lib/operation/token-scope.ts";

export type ApiOrServiceTokenRecord = {
  id: string;
  name: string;
  scope: TokenScope;
  event: { name: string } | null;
  organization: { name: string } | null;
  expiresAt: string;
  lastUsedAt: string | null;
  createdAt: string;
};

/** The action of the form that deletes a token, and its hidden fields besides the token's id. */
type TokenDeletion = {
  action: (state: FormState, form: FormData) => Promise<FormState>;
  hidden?: Record<string, string>;
};

/** A token in a list, with its times and the form that deletes it. */
export function TokenItem({
  token,
  now,
  deletion,
}: {
  token: ApiOrServiceTokenRecord;
  now: Date;
  deletion: TokenDeletion;
}) {
  const t = useTranslator("account");
  const isExpired = new Date(token.expiresAt) <= now;
  return (
    <li className="grid grid-cols-1 gap-3 rounded-surface border border-line bg-surface p-4 sm:p-6">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h3 className="min-w-0 text-lg wrap-anywhere">{token.name}</h3>
        <Badge tone={isExpired ? "neutral" : "positive"}>
          {isExpired ? t("tokenEnded") : t("tokenWorks")}
        </Badge>
      </div>
      <p className="wrap-anywhere">
        <TokenReach token={token} />
      </p>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
          <TokenTimes token={token} isExpired={isExpired} now={now} />
        </p>
        <TokenDeletionForm token={token} deletion={deletion} />
      </div>
    </li>
  );
}

const REACH_KEYS = { read: "tokenReads", write: "tokenWrites", export: "tokenExports" } as const;

/** The scope of a token, and the event or organization to which it is limited. */
function TokenReach({ token: { scope, event, organization } }: { token: ApiOrServiceTokenRecord }) {
  const t = useTranslator("account");
  const key = REACH_KEYS[scope];
  if (organization) return t(key, { event: t("organizationAndEvents", { name: organization.name }) });
  return event ? t(key, { event: event.name }) : t(`${key}All`);
}

function TokenTimes({
  token,
  isExpired,
  now,
}: {
  token: ApiOrServiceTokenRecord;
  isExpired: boolean;
  now: Date;
}) {
  const t = useTranslator("account");
  return (
    <>
      <span>
        {t.rich(isExpired ? "endedAt" : "endsAt", {
          time: () => <Time key="end" value={token.expiresAt} now={now} />,
        })}
      </span>
      <span>
        <LastUsed at={token.lastUsedAt} now={now} />
      </span>
      <span>{t.rich("madeAt", { time: () => <Time key="made" value={token.createdAt} now={now} /> })}</span>
    </>
  );
}

function TokenDeletionForm({ token, deletion }: { token: ApiOrServiceTokenRecord; deletion: TokenDeletion }) {
  const t = useTranslator("account");
  return (
    <Form
      action={deletion.action}
      hidden={{ ...deletion.hidden, tokenId: token.id }}
      label={t("deleteNamed", { name: token.name })}
      dialog={{
        trigger: t.rich("deleteTrigger", {
          name: token.name,
          hidden: (chunks) => <VisuallyHidden key="name">{chunks}</VisuallyHidden>,
        }),
        variant: "quiet",
        title: t("deleteTitle"),
      }}
    >
      <p className="wrap-anywhere">
        {t.rich("deleteText", { name: token.name, b: (chunks) => <strong key="name">{chunks}</strong> })}
      </p>
      <FormActions>
        <SubmitButton variant="danger" pendingLabel={t("deleting")}>
          <Icon as="trash" /> {t("deleteToken")}
        </SubmitButton>
        <DismissDialogButton outcome="keep" />
      </FormActions>
    </Form>
  );
}

function LastUsed({ at, now }: { at: string | null; now: Date }) {
  const t = useTranslator("account");
  return at === null
    ? t("neverUsed")
    : t.rich("lastUsed", { time: () => <Time key="used" value={at} now={now} /> });
}
