import { UserPlus } from "lucide-react";
import { counted } from "#components/incident/words.ts";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { DateTimeField, SelectField, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Icon } from "#components/ui/icon.tsx";
import { Time } from "#components/ui/time.tsx";
import { show } from "#lib/api/page.ts";
import { EVENT_ROLES } from "#lib/events/schema.ts";
import { listEventInvites } from "#lib/invites/event-invites.ts";
import { MAX_INVITE_NOTE, MAX_INVITE_USES } from "#lib/invites/schema.ts";
import { createInviteAction, switchInviteAction } from "./actions.ts";

/** Links with which people join the event. */
export async function invitesOf(slug: string) {
  const { invites } = await show(listEventInvites, { slug });
  const now = new Date();
  return (
    <div className="mt-4 grid items-start gap-6 lg:grid-cols-[22rem_minmax(0,1fr)]">
      <Card title="Invite people by link">
        <NewInvite slug={slug} />
      </Card>
      <Card title="Invite links">
        {invites.length === 0 ? (
          <p className="text-muted">
            No links yet. Whoever opens a link becomes a member of this event, with the role of the link.
          </p>
        ) : (
          <ul className="divide-y divide-line">
            {invites.map((invite) => (
              <InviteItem key={invite.id} invite={invite} slug={slug} now={now} />
            ))}
          </ul>
        )}
      </Card>
    </div>
  );
}

function NewInvite({ slug }: { slug: string }) {
  return (
    <Form action={createInviteAction} hidden={{ slug }} label="New invite" resetOnSuccess>
      <SelectField
        name="role"
        label="Role"
        options={EVENT_ROLES.map((value) => ({ value, label: value }))}
        defaultValue="Reporter"
        required
      />
      <TextField
        name="maxUses"
        type="number"
        label="How many people may use it"
        hint="Empty: as many as come."
        min={1}
        max={MAX_INVITE_USES}
      />
      <DateTimeField name="expiresAt" label="Works until" zone="UTC" hint="Empty: until you switch it off." />
      <TextField
        name="note"
        label="Note"
        hint="For yourselves: whom the link is for."
        maxLength={MAX_INVITE_NOTE}
      />
      <FormActions>
        <SubmitButton pendingLabel="Creating…">
          <Icon as={UserPlus} /> Create link
        </SubmitButton>
      </FormActions>
    </Form>
  );
}

type Invite = {
  id: string;
  role: string;
  url: string;
  expiresAt: string | null;
  maxUses: number | null;
  useCount: number;
  disabled: boolean;
  note: string | null;
};

function InviteItem({ invite, slug, now }: { invite: Invite; slug: string; now: Date }) {
  const ended = whyEnded(invite, now);
  return (
    <li className="grid gap-3 py-5 first:pt-0 last:pb-0">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Badge>{invite.role}</Badge>
        <span className="text-sm text-muted">{usesOf(invite)}</span>
        {invite.expiresAt && (
          <span className="text-sm text-muted">
            until <Time value={invite.expiresAt} />
          </span>
        )}
        {ended && <Badge tone="caution">{ended}</Badge>}
      </div>
      {invite.note && <p className="break-words">{invite.note}</p>}
      {!ended && <CopyField label="Link" value={invite.url} />}
      <Form
        action={switchInviteAction}
        hidden={{ slug, inviteId: invite.id, disabled: String(!invite.disabled) }}
        className="gap-3"
      >
        <div>
          <SubmitButton variant="secondary" pendingLabel="Saving…">
            {invite.disabled ? "Switch on again" : "Switch off"}
            <span className="sr-only">
              {" "}
              the link for {invite.role} {invite.note}
            </span>
          </SubmitButton>
        </div>
      </Form>
    </li>
  );
}

function whyEnded({ disabled, expiresAt, maxUses, useCount }: Invite, now: Date): string | null {
  if (disabled) return "Switched off";
  if (expiresAt && new Date(expiresAt) <= now) return "Its time is over";
  return maxUses !== null && useCount >= maxUses ? "Used up" : null;
}

const usesOf = ({ useCount, maxUses }: Invite): string =>
  maxUses === null ? `used by ${counted(useCount, "person", "people")}` : `used by ${useCount} of ${maxUses}`;
