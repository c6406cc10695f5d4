import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { AccountHeader } from "#components/account/account-header.tsx";
import { CompletedActionNotice } from "#components/shell/done-notice.tsx";
import { definePage } from "#components/shell/page.tsx";
import { getTranslator } from "#components/i18n/request-translator.ts";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Form, SubmitButton } from "#components/ui/form.tsx";
import { useCommaJoiner } from "#components/ui/text-joiner.ts";
import { Time } from "#components/ui/time.tsx";
import { VisuallyHidden } from "#components/ui/visually-hidden.tsx";
import { loadPageData } from "#lib/http/page.ts";
import type { SearchParams } from "#lib/design/query.ts";
import { EVENT_ROLES } from "#lib/events/schema.ts";
import { listInvitations } from "#lib/invites/invitation-operations.ts";
import { acceptInvitationAction, declineInvitationAction } from "./actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslator("account"))("tab.invitations") };
}

/** Lists roles granted by others, to accept or decline. */
export default definePage(async function Invitations({
  searchParams,
}: {
  searchParams: Promise<SearchParams>;
}) {
  const [{ invitations }, { after }] = await Promise.all([loadPageData(listInvitations), searchParams]);
  const t = await getTranslator("account");
  return (
    <div className="grid gap-6">
      <AccountHeader current="invitations" />
      <CompletedActionNotice
        after={after}
        messages={{ accepted: t("invitations.accepted"), declined: t("invitations.declined") }}
      />
      <div className="grid max-w-2xl gap-6">
        {invitations.length > 0 ? (
          <>
            <p>{t("invitations.about")}</p>
            {invitations.map((invitation) => (
              <InvitationCard key={invitation.id} invitation={invitation} now={new Date()} />
            ))}
          </>
        ) : (
          <EmptyState icon="mail-open" title={t("invitations.none")}>
            <p>{t("invitations.noneAbout")}</p>
          </EmptyState>
        )}
      </div>
    </div>
  );
});

type Props = {
  invitation: {
    id: string;
    event: { name: string } | null;
    organization: { name: string };
    roles: readonly string[];
    invitedBy: { name: string } | null;
    invitedAt: string;
  };
  now: Date;
};

const ROLES = [...EVENT_ROLES, "org_admin", "org_viewer"] as const;

function InvitationCard({ invitation, now }: Props) {
  const { id, event, organization, roles, invitedBy, invitedAt } = invitation;
  const t = useTranslator("account");
  const roleName = useTranslator("incident");
  const place = useCommaJoiner()([event?.name, organization.name]);
  const hidden = { invitationId: id };
  return (
    <Card title={place}>
      <div className="grid gap-4">
        <p className="flex flex-wrap items-center gap-1.5">
          <VisuallyHidden>{t("invitations.roles")}</VisuallyHidden>
          {ROLES.filter((role) => roles.includes(role)).map((role) => (
            <Badge key={role}>{roleName(`role.${role}`)}</Badge>
          ))}
        </p>
        <p className="wrap-anywhere text-muted">
          {invitedBy ? t("invitations.by", { name: invitedBy.name }) : t("invitations.byNobody")}{" "}
          <Time value={invitedAt} now={now} />
        </p>
        <div className="flex flex-wrap gap-2">
          <Form action={acceptInvitationAction} hidden={hidden}>
            <SubmitButton pendingLabel={t("invitations.accepting")}>
              {t("invitations.accept")} <VisuallyHidden>{place}</VisuallyHidden>
            </SubmitButton>
          </Form>
          <Form action={declineInvitationAction} hidden={hidden}>
            <SubmitButton variant="secondary" pendingLabel={t("invitations.declining")}>
              {t("invitations.decline")} <VisuallyHidden>{place}</VisuallyHidden>
            </SubmitButton>
          </Form>
        </div>
      </div>
    </Card>
  );
}
