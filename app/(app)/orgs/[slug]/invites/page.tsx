import { MailPlus } from "lucide-react";
import type { Metadata } from "next";
import { OrganizationHead } from "#components/organization/organization-head.tsx";
import { ORGANIZATION_ROLES, ROLE_OPTIONS } from "#components/organization/role-words.ts";
import { page } from "#components/shell/page.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { RadioGroup, SelectField, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import { refuse, show } from "#lib/api/page.ts";
import type { Query } from "#lib/design/query.ts";
import { listInvites } from "#lib/invites/operations.ts";
import { MAX_INVITE_NOTE, MAX_INVITE_USES } from "#lib/invites/schema.ts";
import { openOrganization, type OrganizationParams, titleOf } from "../organization.ts";
import { createInviteAction, switchInviteAction } from "./actions.ts";

export const generateMetadata = ({ params }: OrganizationParams): Promise<Metadata> =>
  titleOf(params, "Invites");

type Props = OrganizationParams & { searchParams: Promise<Query> };

export default page(async function Invites({ params, searchParams }: Props) {
  const { slug } = await params;
  const { organization, may } = await openOrganization(slug);
  if (!may.invite) refuse();
  const { invites } = await show(listInvites, { orgSlug: slug });
  const now = new Date();
  const created = (await searchParams).created;
  const fresh = invites.find(({ id }) => id === created);
  const working = invites.filter((invite) => stateOf(invite, now) === "working");
  const spent = invites.filter((invite) => stateOf(invite, now) !== "working");
  return (
    <div className="grid gap-6">
      <OrganizationHead organization={organization} current="invites" may={may} />
      {fresh && <Fresh url={fresh.url} />}
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid gap-4">
          <h2 className="text-xl">Invites that work</h2>
          {working.length === 0 ? (
            <EmptyState icon={MailPlus} title="No invite is open">
              <p>Create one, and send its link to whoever is to join.</p>
            </EmptyState>
          ) : (
            <ul className="grid gap-4">
              {working.map((invite) => (
                <InviteCard key={invite.id} invite={invite} organization={slug} now={now} />
              ))}
            </ul>
          )}
          {spent.length > 0 && (
            <Disclosure summary={`Invites that no longer work (${spent.length})`}>
              <ul className="grid gap-4 pt-2">
                {spent.map((invite) => (
                  <InviteCard key={invite.id} invite={invite} organization={slug} now={now} />
                ))}
              </ul>
            </Disclosure>
          )}
        </div>
        <Card title="New invite" className="lg:sticky lg:top-4">
          <NewInvite key={fresh?.id} organization={slug} />
        </Card>
      </div>
    </div>
  );
});

type Invite = {
  id: string;
  role: string;
  url: string;
  expiresAt: string | null;
  maxUses: number | null;
  useCount: number;
  disabled: boolean;
  note: string | null;
  createdAt: string;
};

const STATES = {
  working: { tone: "positive", word: "Works" },
  disabled: { tone: "neutral", word: "Disabled" },
  expired: { tone: "neutral", word: "Expired" },
  usedUp: { tone: "neutral", word: "Used up" },
} as const;

function stateOf({ disabled, expiresAt, maxUses, useCount }: Invite, now: Date): keyof typeof STATES {
  if (disabled) return "disabled";
  if (expiresAt && new Date(expiresAt) <= now) return "expired";
  return maxUses !== null && useCount >= maxUses ? "usedUp" : "working";
}

function Fresh({ url }: { url: string }) {
  return (
    <Notice kind="success" title="The invite is created" live className="[&>div]:grow">
      <p>Send this link to whoever is to join. Anybody who has it can use it.</p>
      <CopyField label="Link of the new invite" value={url} />
    </Notice>
  );
}

function InviteCard({ invite, organization, now }: { invite: Invite; organization: string; now: Date }) {
  const state = stateOf(invite, now);
  const role = roleName(invite.role);
  return (
    <li className="grid gap-4 rounded-surface border border-line bg-surface p-4 sm:p-6">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h3 className="text-lg">{role}</h3>
        <Badge tone={STATES[state].tone}>{STATES[state].word}</Badge>
      </div>
      {invite.note && <p className="break-words whitespace-pre-line">{invite.note}</p>}
      {state === "working" && <CopyField label="Invite link" value={invite.url} />}
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
          <span>{usesOf(invite)}</span>
          <span>
            {invite.expiresAt ? (
              <>
                {state === "expired" ? "Ended" : "Ends"} <Time value={invite.expiresAt} now={now} />
              </>
            ) : (
              "No end date"
            )}
          </span>
          <span>
            Created <Time value={invite.createdAt} now={now} />
          </span>
        </p>
        {(state === "working" || state === "disabled") && (
          <SwitchForm organization={organization} invite={invite} role={role} />
        )}
      </div>
    </li>
  );
}

const roleName = (role: string) =>
  role === "org_admin" || role === "org_viewer" ? ORGANIZATION_ROLES[role].name : role;

function usesOf({ maxUses, useCount }: Invite): string {
  const used = useCount === 0 ? "Not used yet" : useCount === 1 ? "Used once" : `Used ${useCount} times`;
  if (maxUses === null) return `${used}, no limit`;
  const left = maxUses - useCount;
  return left > 0 ? `${used}, ${left} left` : used;
}

type SwitchProps = { organization: string; invite: Invite; role: string };

function SwitchForm({ organization, invite, role }: SwitchProps) {
  const word = invite.disabled ? "Enable" : "Disable";
  return (
    <Form
      action={switchInviteAction}
      hidden={{ organization, inviteId: invite.id, disabled: String(!invite.disabled) }}
      className="!gap-2"
    >
      <SubmitButton variant="secondary" pendingLabel="Saving…" aria-label={`${word} the invite for ${role}`}>
        {word}
      </SubmitButton>
    </Form>
  );
}

const ENDS = [
  { value: "1", label: "In a day" },
  { value: "7", label: "In a week" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
];

function NewInvite({ organization }: { organization: string }) {
  return (
    <Form action={createInviteAction} hidden={{ organization }} label="New invite">
      <RadioGroup name="role" label="Role" options={ROLE_OPTIONS} defaultValue="org_viewer" required />
      <SelectField
        name="days"
        label="Ends"
        prompt="Never"
        options={ENDS}
        defaultValue="7"
        markOptional={false}
      />
      <TextField
        name="maxUses"
        type="number"
        label="How many people may use it"
        hint="Blank for no limit."
        min={1}
        max={MAX_INVITE_USES}
        defaultValue="1"
      />
      <TextField
        name="note"
        label="Note"
        hint="For you and the other admins; those invited don't see it."
        maxLength={MAX_INVITE_NOTE}
        autoComplete="off"
      />
      <FormActions>
        <SubmitButton pendingLabel="Creating…">Create invite</SubmitButton>
      </FormActions>
    </Form>
  );
}
