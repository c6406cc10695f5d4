import { useTranslator } from "#i18n";
import { InviteUseLimitAndNoteFields } from "#components/invite/invite-limits.tsx";
import { InviteByEmailForm } from "#components/invite/invite-by-email.tsx";
import { findInviteEndReason } from "#components/invite/invite-end-reason.ts";
import { useOrganizationRoleOptions } from "#components/organization/role-options.ts";
import { LocalAddressNotice } from "#components/shell/local-address-notice.tsx";
import { CompletedActionNotice } from "#components/shell/done-notice.tsx";
import { Badge } from "#components/ui/badge.tsx";
import { Card } from "#components/ui/card.tsx";
import { CopyField } from "#components/ui/copy-field.tsx";
import { Disclosure } from "#components/ui/disclosure.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { RadioGroup, SelectField, TextField } from "#components/ui/field.tsx";
import { Form, FormActions, SubmitButton } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import { MAX_INVITE_NOTE_LENGTH } from "#lib/invites/schema.ts";
import {
  changeInviteNoteAction,
  createOrganizationInviteAction,
  toggleOrganizationInviteAction,
} from "./invite-actions.ts";

type Props = {
  invites: readonly Invite[];
  organization: string;
  /** Id of the invite that was just created. */
  created: unknown;
  /** What was just done to an invite. */
  after: unknown;
  /** Who invites. */
  userId: string;
  now: Date;
};

/** The invites of an organization, and the form for a new one. */
export function OrganizationInvites({ invites, organization, created, after, userId, now }: Props) {
  const t = useTranslator("organization");
  const invite = useTranslator("invite");
  const newInvite = invites.find(({ id }) => id === created);
  return (
    <section id="invites" aria-labelledby="invites-title" className="grid scroll-mt-4 grid-cols-1 gap-6">
      <h2 id="invites-title" className="text-xl">
        {t("invites")}
      </h2>
      <LocalAddressNotice />
      {newInvite?.url && <NewInviteLink url={newInvite.url} />}
      <CompletedActionNotice after={after} messages={{ off: t("invite.nowOff"), on: t("invite.nowOn") }} />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <InviteLists invites={invites} organization={organization} now={now} />
        <div className="grid grid-cols-1 gap-6">
          <Card title={invite("byEmail")}>
            <InviteByEmailForm to={{ organization }} userId={userId} />
          </Card>
          <NewOrganizationInviteForm key={newInvite?.id} organization={organization} />
        </div>
      </div>
    </section>
  );
}

type Invite = {
  id: string;
  role: string;
  url: string | null;
  expiresAt: string | null;
  maxUses: number | null;
  useCount: number;
  disabled: boolean;
  note: string | null;
  createdAt: string;
};

function NewInviteLink({ url }: { url: string }) {
  const t = useTranslator("organization");
  return (
    <Notice kind="success" title={t("invite.created")} live className="[&>div]:grow">
      <p>{t("invite.created.about")}</p>
      <CopyField label={t("invite.created.link")} value={url} />
    </Notice>
  );
}

type ListsProps = { invites: readonly Invite[]; organization: string; now: Date };

function InviteLists({ invites, organization, now }: ListsProps) {
  const t = useTranslator("organization");
  const working = invites.filter((invite) => findInviteEndReason(invite, now) === null);
  const endedInvites = invites.filter((invite) => findInviteEndReason(invite, now) !== null);
  return (
    <div className="grid grid-cols-1 gap-4">
      {working.length === 0 ? (
        <EmptyState icon="mail-plus" title={t("invites.none")}>
          <p>{t("invites.none.about")}</p>
        </EmptyState>
      ) : (
        <InviteCards invites={working} organization={organization} now={now} />
      )}
      {endedInvites.length > 0 && (
        <Disclosure summary={t("invites.spent", { count: endedInvites.length })}>
          <InviteCards invites={endedInvites} organization={organization} now={now} />
        </Disclosure>
      )}
    </div>
  );
}

function InviteCards({ invites, organization, now }: ListsProps) {
  return (
    <ul className="grid grid-cols-1 gap-4">
      {invites.map((invite) => (
        <InviteCard key={invite.id} invite={invite} organization={organization} now={now} />
      ))}
    </ul>
  );
}

type InviteProps = { invite: Invite; organization: string };

function InviteCard({ invite, organization, now }: InviteProps & { now: Date }) {
  const t = useTranslator("organization");
  const ended = findInviteEndReason(invite, now);
  return (
    <li className="grid grid-cols-1 gap-4 rounded-surface border border-line bg-surface p-4 sm:p-6">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h3 className="text-lg">{useRoleName(invite.role)}</h3>
        <Badge tone={ended ? "neutral" : "positive"}>{t(`invite.${ended ?? "working"}`)}</Badge>
      </div>
      {invite.note && (
        <p dir="auto" className="wrap-anywhere whitespace-pre-line">
          {invite.note}
        </p>
      )}
      {!ended && invite.url !== null && <CopyField label={t("inviteLink")} value={invite.url} />}
      <InviteFacts invite={invite} ended={ended === "expired"} now={now} />
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        {(!ended || ended === "switchedOff") && <SwitchForm organization={organization} invite={invite} />}
        <NoteForm organization={organization} invite={invite} />
      </div>
    </li>
  );
}

function useRoleName(role: string): string {
  const roles = useTranslator("incident");
  return role === "org_admin" || role === "org_viewer" ? roles(`role.${role}`) : role;
}

function InviteFacts({ invite, ended, now }: { invite: Invite; ended: boolean; now: Date }) {
  const t = useTranslator("organization");
  const { maxUses, useCount, expiresAt, createdAt } = invite;
  const time = (value: string) => () => <Time key="time" value={value} now={now} />;
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted">
      <span>{t("invite.used", { count: useCount })}</span>
      <span>
        {maxUses === null
          ? t("invite.noLimit")
          : t("invite.left", { count: Math.max(0, maxUses - useCount) })}
      </span>
      <span>
        {expiresAt
          ? t.rich(ended ? "invite.ended" : "invite.ends", { time: time(expiresAt) })
          : t("invite.noEnd")}
      </span>
      <span>{t.rich("invite.made", { time: time(createdAt) })}</span>
    </p>
  );
}

function SwitchForm({ organization, invite }: InviteProps) {
  const t = useTranslator("organization");
  const role = useRoleName(invite.role);
  const toggleAction = invite.disabled ? "enable" : "disable";
  return (
    <Form
      action={toggleOrganizationInviteAction}
      hidden={{ organization, inviteId: invite.id, disabled: String(!invite.disabled) }}
      className="!gap-2"
    >
      <SubmitButton
        variant="secondary"
        pendingLabel={t("saving")}
        aria-label={t(`invite.${toggleAction}.which`, { role })}
      >
        {t(`invite.${toggleAction}`)}
      </SubmitButton>
    </Form>
  );
}

function NoteForm({ organization, invite }: InviteProps) {
  const t = useTranslator("organization");
  return (
    <Form
      action={changeInviteNoteAction}
      hidden={{ organization, inviteId: invite.id }}
      label={t("invite.note.change")}
      dialog={{
        trigger: (
          <>
            {t("invite.note.open")}
            <span className="sr-only"> {t("invite.note.which", { role: useRoleName(invite.role) })}</span>
          </>
        ),
        variant: "quiet",
        title: t("invite.note.change"),
      }}
    >
      <TextField
        name="note"
        label={t("invite.note")}
        hint={t("invite.note.about")}
        defaultValue={invite.note ?? undefined}
        maxLength={MAX_INVITE_NOTE_LENGTH}
        autoComplete="off"
      />
      <FormActions>
        <SubmitButton pendingLabel={t("saving")}>{t("invite.note.save")}</SubmitButton>
      </FormActions>
    </Form>
  );
}

const EXPIRY_DAYS = ["1", "7", "30", "90"] as const;

function NewOrganizationInviteForm({ organization }: { organization: string }) {
  const t = useTranslator("organization");
  return (
    <Card title={t("invite.new")}>
      <Form action={createOrganizationInviteAction} hidden={{ organization }} label={t("invite.new")}>
        <RadioGroup
          name="role"
          label={t("role")}
          options={useOrganizationRoleOptions()}
          defaultValue="org_viewer"
          required
        />
        <SelectField
          name="days"
          label={t("invite.end")}
          prompt={t("invite.end.never")}
          options={EXPIRY_DAYS.map((value) => ({
            value,
            label: t("invite.end.days", { count: Number(value) }),
          }))}
          defaultValue="7"
          markOptional={false}
        />
        <InviteUseLimitAndNoteFields
          labels={{
            uses: t("invite.uses"),
            usesHint: t("invite.uses.about"),
            note: t("invite.note"),
            noteHint: t("invite.note.about"),
          }}
          uses={1}
        />
        <FormActions>
          <SubmitButton pendingLabel={t("creating")}>{t("invite.create")}</SubmitButton>
        </FormActions>
      </Form>
    </Card>
  );
}
