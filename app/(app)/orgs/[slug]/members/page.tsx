import { canRemoveLastAdmin } from "#lib/operation/policy.ts";
import type { Metadata } from "next";
import { useTranslator } from "#i18n";
import { OrganizationHeader } from "#components/organization/organization-header.tsx";
import { useOrganizationRoleOptions } from "#components/organization/role-options.ts";
import { CompletedActionNotice } from "#components/shell/done-notice.tsx";
import { definePage } from "#components/shell/page.tsx";
import { Avatar } from "#components/ui/avatar.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { DismissDialogButton } from "#components/ui/dismiss-button.tsx";
import { SelectField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Time } from "#components/ui/time.tsx";
import { loadPageData } from "#lib/http/page.ts";
import { listOrganizationInvites } from "#lib/invites/operations.ts";
import { listOrganizationMembers } from "#lib/organizations/operations.ts";
import type { OrganizationRole } from "#lib/operation/policy.ts";
import {
  loadOrganizationPage,
  type OrganizationPageProps,
  loadOrganizationPageMetadata,
} from "../organization.ts";
import { changeMemberRoleAction, removeMemberAction } from "./actions.ts";
import { OrganizationInvites } from "./invites.tsx";

export const generateMetadata = ({ params }: OrganizationPageProps): Promise<Metadata> =>
  loadOrganizationPageMetadata(params, "members");

/** The members of an organization and, for its admins, the invites that make more. */
export default definePage(async function Members({ params, searchParams }: OrganizationPageProps) {
  const { slug } = await params;
  const { organization, actor, may } = await loadOrganizationPage(slug);
  const [{ members }, invites] = await Promise.all([
    loadPageData(listOrganizationMembers, { orgSlug: slug }),
    may.invite ? loadPageData(listOrganizationInvites, { orgSlug: slug }) : null,
  ]);
  const { after, created } = await searchParams;
  const t = useTranslator("organization");
  return (
    <div className="grid grid-cols-1 gap-6">
      <OrganizationHeader
        organization={organization}
        current="members"
        may={may}
        actions={may.invite && <InvitePeopleLink />}
      />
      <CompletedActionNotice after={after} messages={{ role: t("done.role"), removed: t("done.removed") }} />
      {members.length === 0 ? (
        <NoMembersState />
      ) : (
        <MemberList members={members} organization={organization} actor={actor} manage={may.manageMembers} />
      )}
      {invites ? (
        <OrganizationInvites
          invites={invites.invites}
          organization={slug}
          created={created}
          after={after}
          userId={actor.id}
          now={new Date()}
        />
      ) : (
        <RoleLegend />
      )}
    </div>
  );
});

function InvitePeopleLink() {
  const t = useTranslator("organization");
  return (
    <LinkButton href="#invites" variant="primary" icon="user-plus">
      {t("invitePeople")}
    </LinkButton>
  );
}

function NoMembersState() {
  const t = useTranslator("organization");
  return (
    <EmptyState icon="user-plus" title={t("noMembers")}>
      <p>{t("noMembers.about")}</p>
    </EmptyState>
  );
}

type Member = {
  user: { id: string; name: string; email: string | null; avatarUrl: string | null };
  role: OrganizationRole;
  /** Hasn't accepted the invitation yet. */
  invited: boolean;
  joinedAt: string;
};

type Organization = { name: string; slug: string };

type ListProps = {
  members: readonly Member[];
  organization: Organization;
  actor: { id: string; systemAdmin: boolean };
  /** Whether the viewer may change and remove members. */
  manage: boolean;
};

function MemberList({ members, organization, actor, manage }: ListProps) {
  const t = useTranslator("organization");
  const isAdmin = ({ role, invited }: Member) => role === "org_admin" && !invited;
  const admins = members.filter(isAdmin).length;
  const mustStay = (member: Member) => isAdmin(member) && admins === 1 && !canRemoveLastAdmin(actor);
  return (
    <Card title={t("memberCount", { count: members.length })}>
      <ul className="divide-y divide-line">
        {members.map((member) => (
          <MemberRow
            key={member.user.id}
            member={member}
            organization={organization}
            doing={!manage ? "nothing" : mustStay(member) ? "lastAdmin" : "anything"}
            self={member.user.id === actor.id}
          />
        ))}
      </ul>
    </Card>
  );
}

type RowProps = {
  member: Member;
  organization: Organization;
  /**
   * The actions that the viewer may take on this member. The last admin can't be removed, and the row says so in
   * advance.
   */
  doing: "nothing" | "lastAdmin" | "anything";
  self: boolean;
};

function MemberRow({ member: { user, role, invited, joinedAt }, organization, doing, self }: RowProps) {
  const t = useTranslator("organization");
  const roles = useTranslator("incident");
  const hidden = { organization: organization.slug, userId: user.id };
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-4 py-4 first:pt-0 last:pb-0">
      <div className="flex min-w-0 flex-1 basis-64 items-center gap-3">
        <Avatar name={user.name} src={user.avatarUrl} />
        <div className="min-w-0">
          <p className="font-[550] wrap-anywhere">
            <bdi>{user.name}</bdi>
            {self && <span className="font-normal text-muted"> {t("you")}</span>}{" "}
            {invited && <Badge>{t("invited")}</Badge>}
          </p>
          <p className="text-sm wrap-anywhere text-muted">{invited ? t("invitedAbout") : user.email}</p>
          <p className="text-sm text-muted">
            {t.rich(invited ? "invitedOn" : "joined", {
              time: () => <Time key="time" value={joinedAt} show="date" />,
            })}
          </p>
        </div>
      </div>
      {doing === "anything" ? (
        <div className="flex flex-wrap items-end gap-2">
          <RoleForm key={role} user={user} role={role} hidden={hidden} />
          <RemoveForm name={user.name} organization={organization.name} self={self} hidden={hidden} />
        </div>
      ) : (
        <div className="grid justify-items-start gap-1 sm:max-w-72">
          <Badge>{roles(`role.${role}`)}</Badge>
          {doing === "lastAdmin" && <p className="text-sm text-muted">{t("lastAdmin")}</p>}
        </div>
      )}
    </li>
  );
}

type HiddenFields = { organization: string; userId: string };
type RoleProps = { user: Member["user"]; role: OrganizationRole; hidden: HiddenFields };

function RoleForm({ user, role, hidden }: RoleProps) {
  const t = useTranslator("organization");
  return (
    <Form
      action={changeMemberRoleAction}
      hidden={hidden}
      label={
        user.email === null
          ? t("roleOfInvited", { name: user.name })
          : t("roleOf", { name: user.name, email: user.email })
      }
      className="!flex flex-wrap items-end !gap-2 [&>[role]]:basis-full"
    >
      <div className="w-36">
        <SelectField
          name="role"
          label={t("role")}
          options={useOrganizationRoleOptions().map(({ value, label }) => ({ value, label }))}
          defaultValue={role}
          markOptional={false}
        />
      </div>
      <SubmitButton variant="secondary" pendingLabel={t("saving")}>
        {t("save")}
      </SubmitButton>
    </Form>
  );
}

type RemoveProps = { name: string; organization: string; self: boolean; hidden: HiddenFields };

function RemoveForm({ name, organization, self, hidden }: RemoveProps) {
  const t = useTranslator("organization");
  const way = self ? "leave" : "remove";
  return (
    <Form
      action={removeMemberAction}
      hidden={hidden}
      dialog={{
        trigger: (
          <>
            {t(way)}
            <span className="sr-only"> {name}</span>
          </>
        ),
        variant: "quiet",
        title: t(`${way}.title`, { name, organization }),
      }}
    >
      <p>{t(`${way}.about`)}</p>
      <FormActions>
        <SubmitButton variant="danger" pendingLabel={t(`${way}.pending`)}>
          {t(`${way}.do`)}
        </SubmitButton>
        <DismissDialogButton outcome={self ? "stay" : "leave"} />
      </FormActions>
    </Form>
  );
}

function RoleLegend() {
  const roles = useOrganizationRoleOptions();
  return (
    <dl className="grid gap-x-8 gap-y-3 text-sm text-muted sm:grid-cols-2">
      {roles.toReversed().map(({ value, label, hint }) => (
        <div key={value}>
          <dt className="font-[550] text-ink">{label}</dt>
          <dd>{hint}</dd>
        </div>
      ))}
    </dl>
  );
}
