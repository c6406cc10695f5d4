import { MailOpen } from "lucide-react";
import type { Metadata } from "next";
import { useWords } from "#words";
import { AccountHead } from "#components/account/account-head.tsx";
import { DoneNotice } from "#components/shell/done-notice.tsx";
import { page } from "#components/shell/page.tsx";
import { pageWords } from "#components/words/page-words.ts";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Form, SubmitButton } from "#components/ui/form.tsx";
import { useListed } from "#components/ui/listed.ts";
import { Time } from "#components/ui/time.tsx";
import { VisuallyHidden } from "#components/ui/visually-hidden.tsx";
import { show } from "#lib/http/page.ts";
import type { Query } from "#lib/design/query.ts";
import { EVENT_ROLES } from "#lib/events/schema.ts";
import { listOwnInvitations } from "#lib/invitations/operations.ts";
import { acceptAction, declineAction } from "./actions.ts";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await pageWords("account"))("tab.invitations") };
}

/** Roles that others granted, to accept or decline. */
export default page(async function Invitations({ searchParams }: { searchParams: Promise<Query> }) {
  const [{ invitations }, { after }] = await Promise.all([show(listOwnInvitations), searchParams]);
  const t = await pageWords("account");
  return (
    <div className="grid gap-6">
      <AccountHead current="invitations" />
      <DoneNotice
        after={after}
        words={{ accepted: t("invitations.accepted"), declined: t("invitations.declined") }}
      />
      <div className="grid max-w-2xl gap-6">
        {invitations.length > 0 ? (
          <>
            <p>{t("invitations.about")}</p>
            {invitations.map((invitation) => (
              <Invitation key={invitation.id} invitation={invitation} now={new Date()} />
            ))}
          </>
        ) : (
          <EmptyState icon={MailOpen} title={t("invitations.none")}>
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

function Invitation({ invitation, now }: Props) {
  const { id, event, organization, roles, invitedBy, invitedAt } = invitation;
  const t = useWords("account");
  const roleName = useWords("incident");
  const place = useListed()([event?.name, organization.name]);
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
          <Form action={acceptAction} hidden={hidden}>
            <SubmitButton pendingLabel={t("invitations.accepting")}>
              {t("invitations.accept")} <VisuallyHidden>{place}</VisuallyHidden>
            </SubmitButton>
          </Form>
          <Form action={declineAction} hidden={hidden}>
            <SubmitButton variant="secondary" pendingLabel={t("invitations.declining")}>
              {t("invitations.decline")} <VisuallyHidden>{place}</VisuallyHidden>
            </SubmitButton>
          </Form>
        </div>
      </div>
    </Card>
  );
}
