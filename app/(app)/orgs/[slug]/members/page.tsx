import { UserPlus } from "lucide-react";
import type { Metadata } from "next";
import { OrganizationHead } from "#components/organization/organization-head.tsx";
import { ORGANIZATION_ROLES, ROLE_OPTIONS } from "#components/organization/role-words.ts";
import { page } from "#components/shell/page.tsx";
import { Avatar } from "#components/ui/avatar.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { LinkButton } from "#components/ui/button.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { SelectField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import { show } from "#lib/api/page.ts";
import type { Query } from "#lib/design/query.ts";
import { listOrganizationMembers } from "#lib/organizations/operations.ts";
import type { OrganizationRole } from "#lib/policy.ts";
import { openOrganization, type OrganizationParams, titleOf } from "../organization.ts";
import { changeRoleAction, removeMemberAction } from "./actions.ts";

export const generateMetadata = ({ params }: OrganizationParams): Promise<Metadata> =>
  titleOf(params, "Members");

type Props = OrganizationParams & { searchParams: Promise<Query> };

export default page(async function Members({ params, searchParams }: Props) {
  const { slug } = await params;
  const { organization, actor, may } = await openOrganization(slug);
  const { members } = await show(listOrganizationMembers, { orgSlug: slug });
  const { after } = await searchParams;
  return (
    <div className="grid gap-6">
      <OrganizationHead
        organization={organization}
        current="members"
        may={may}
        actions={
          may.invite && (
            <LinkButton href={`/orgs/${slug}/invites`} variant="primary" icon={UserPlus}>
              Invite people
            </LinkButton>
          )
        }
      />
      {typeof after === "string" && Object.hasOwn(DONE, after) && (
        <Notice kind="success" live>
          <p>{DONE[after as keyof typeof DONE]}</p>
        </Notice>
      )}
      {members.length === 0 ? (
        <EmptyState icon={UserPlus} title="No members yet">
          <p>People join with an invite link. The first one comes in with the link on the overview.</p>
        </EmptyState>
      ) : (
        <Card title={members.length === 1 ? "One member" : `${members.length} members`}>
          <ul className="divide-y divide-line">
            {members.map((member) => (
              <MemberRow
                key={member.user.id}
                member={member}
                organization={organization}
                manage={may.manageMembers}
                self={member.user.id === actor.id}
              />
            ))}
          </ul>
        </Card>
      )}
      <RoleLegend />
    </div>
  );
});

const DONE = {
  role: "The member's role is changed.",
  removed: "The member is removed. Roles in events are separate and stay.",
};

type Member = {
  user: { id: string; name: string; email: string; avatarUrl: string | null };
  role: OrganizationRole;
  joinedAt: string;
};

type RowProps = {
  member: Member;
  organization: { name: string; slug: string };
  /** May this person change and remove members? */
  manage: boolean;
  self: boolean;
};

function MemberRow({ member: { user, role, joinedAt }, organization, manage, self }: RowProps) {
  const hidden = { organization: organization.slug, userId: user.id };
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-4 py-4 first:pt-0 last:pb-0">
      <div className="flex min-w-0 flex-1 basis-64 items-center gap-3">
        <Avatar name={user.name} src={user.avatarUrl} decorative />
        <div className="min-w-0">
          <p className="font-[550] break-words">
            {user.name}
            {self && <span className="font-normal text-muted"> (you)</span>}
          </p>
          <p className="text-sm break-all text-muted">{user.email}</p>
          <p className="text-sm text-muted">
            Joined <Time value={joinedAt} show="date" />
          </p>
        </div>
      </div>
      {manage ? (
        <div className="flex flex-wrap items-end gap-2">
          <RoleForm key={role} user={user} role={role} hidden={hidden} />
          <RemoveForm name={user.name} organization={organization.name} self={self} hidden={hidden} />
        </div>
      ) : (
        <Badge>{ORGANIZATION_ROLES[role].name}</Badge>
      )}
    </li>
  );
}

type Hidden = { organization: string; userId: string };
type RoleProps = { user: Member["user"]; role: OrganizationRole; hidden: Hidden };

function RoleForm({ user, role, hidden }: RoleProps) {
  return (
    <Form
      action={changeRoleAction}
      hidden={hidden}
      label={`Role of ${user.name}, ${user.email}`}
      className="!flex flex-wrap items-end !gap-2 [&>[role]]:basis-full"
    >
      <div className="w-36">
        <SelectField
          name="role"
          label="Role"
          options={ROLE_OPTIONS.map(({ value, label }) => ({ value, label }))}
          defaultValue={role}
          markOptional={false}
        />
      </div>
      <SubmitButton variant="secondary" pendingLabel="Saving…">
        Save
      </SubmitButton>
    </Form>
  );
}

type RemoveProps = { name: string; organization: string; self: boolean; hidden: Hidden };

function RemoveForm({ name, organization, self, hidden }: RemoveProps) {
  const title = self ? `Leave ${organization}?` : `Remove ${name}?`;
  return (
    <Form
      action={removeMemberAction}
      hidden={hidden}
      dialog={{ trigger: self ? "Leave…" : "Remove…", variant: "quiet", title }}
    >
      <p>
        {self ? "You lose" : "They lose"} the organization&apos;s pages and numbers at once. Roles in events
        are separate and stay; take those away on each event&apos;s team page.
      </p>
      <FormActions>
        <SubmitButton variant="danger" pendingLabel={self ? "Leaving…" : "Removing…"}>
          {self ? "Leave the organization" : "Remove from the organization"}
        </SubmitButton>
      </FormActions>
    </Form>
  );
}

function RoleLegend() {
  return (
    <dl className="grid gap-x-8 gap-y-3 text-sm text-muted sm:grid-cols-2">
      {Object.values(ORGANIZATION_ROLES).map(({ name, about }) => (
        <div key={name}>
          <dt className="font-[550] text-ink">{name}</dt>
          <dd>{about}</dd>
        </div>
      ))}
    </dl>
  );
}
