import { useTimeFormatOptions, useTranslator } from "#i18n";
import { findInviteEndReason } from "#components/invite/invite-end-reason.ts";
import { Badge } from "#components/ui/badge.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { Form, SubmitButton } from "#components/ui/form.tsx";
import { formatDateTime } from "#lib/design/time.ts";
import type { EventRole } from "#lib/operation/policy.ts";
import { toggleEventInviteAction } from "./invite-actions.ts";

export type EventInviteRecord = {
  id: string;
  role: EventRole | "org_admin" | "org_viewer";
  url: string | null;
  expiresAt: string | null;
  maxUses: number | null;
  useCount: number;
  disabled: boolean;
  note: string | null;
};

type Props = { invite: EventInviteRecord; slug: string; now: Date };

/** One invite: its role, how often it was used, and the actions on it. */
export function InviteItem({ invite, slug, now }: Props) {
  const t = useTranslator("eventAdmin");
  const roleName = useTranslator("incident");
  const role = roleName(`role.${invite.role}`);
  const endReason = findInviteEndReason(invite, now);
  return (
    <li className="grid gap-3 py-5 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Badge>{role}</Badge>
        <InviteUsage invite={invite} />
        {endReason && <Badge tone="caution">{t(`invites.${endReason}`)}</Badge>}
      </div>
      {invite.note && (
        <p dir="auto" className="wrap-anywhere">
          {invite.note}
        </p>
      )}
      {!endReason && invite.url !== null && <CopyField label={t("invites.link")} value={invite.url} />}
      <div className="flex flex-wrap items-start gap-3">
        {!endReason && (
          <LinkButton href={`/e/${slug}/invites/${invite.id}/poster`} icon="printer">
            {t("invites.poster")}
            <span className="sr-only">
              {role} {invite.note}
            </span>
          </LinkButton>
        )}
        <InviteToggle invite={invite} slug={slug} role={role} />
      </div>
    </li>
  );
}

function InviteToggle({ invite, slug, role }: { invite: EventInviteRecord; slug: string; role: string }) {
  const t = useTranslator("eventAdmin");
  return (
    <Form
      action={toggleEventInviteAction}
      hidden={{ slug, inviteId: invite.id, disabled: String(!invite.disabled) }}
      className="gap-3"
    >
      <SubmitButton variant={invite.disabled ? "secondary" : "quiet"} pendingLabel={t("saving")}>
        {t(invite.disabled ? "invites.on" : "invites.off")}
        <span className="sr-only"> {t("invites.which", { role, note: invite.note ?? "" }).trim()}</span>
      </SubmitButton>
    </Form>
  );
}

/** "2 uses left of 10 · until 3 Dec 2026, 18:00 UTC". */
function InviteUsage({ invite: { useCount, maxUses, expiresAt } }: { invite: EventInviteRecord }) {
  const t = useTranslator("eventAdmin");
  const times = useTimeFormatOptions();
  const uses =
    maxUses === null
      ? t("invites.usedBy", { count: useCount })
      : t("invites.usesLeft", { left: Math.max(0, maxUses - useCount), max: maxUses });
  return (
    <span className="text-sm text-muted tabular-nums">
      {uses}
      {expiresAt && ` · ${t("invites.until", { time: formatDateTime(new Date(expiresAt), times) })}`}
    </span>
  );
}
