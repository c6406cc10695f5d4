import { findMailRecipient } from "#lib/accounts/mail-recipient.ts";
import { appendAuditEntries, buildAuditEntry } from "#lib/audit/audit.ts";
import { buildInviteLink, generateInviteCode } from "#lib/crypto/random-code.ts";
import { prisma, runTransaction, type Tx } from "#lib/database/client.ts";
import { assertAndLockEventAdmin } from "#lib/events/roles.ts";
import type { EventPermissionSubject } from "#lib/events/scope.ts";
import {
  INVITE_COLUMNS,
  INVITE_MAIL_DAYS,
  type InviteRecord,
  type MailedEventInvitesInput,
  type MailedOrganizationInvitesInput,
  toInviteRecord,
} from "#lib/invites/schema.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { composeInviteMail } from "#lib/mail/messages.ts";
import { sendMail } from "#lib/mail/send.ts";
import { AppError } from "#lib/operation/errors.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import type { Actor, EventRole, OrganizationRole } from "#lib/operation/policy.ts";
import { assertAndLockOrganizationAdmin } from "#lib/organizations/members.ts";
import type { OrganizationPermissionSubject } from "#lib/organizations/scope.ts";
import { consumeLimit } from "#lib/rate-limits/rate-limits.ts";
import { DAY_MS } from "#lib/wall-clock.ts";

/**
 * Invites that the service mails (contract 5.3). Every address gets the same: an invite for one person. Whether it
 * belongs to an account is looked up only when the mail is written, so nothing that the inviter sees depends on it.
 */

type InviterContext = OperationContext<OrganizationPermissionSubject & { eventId?: string }, Actor>;

type MailedInvites = {
  emails: readonly string[];
  role: EventRole | OrganizationRole;
  /** Whoever uses it becomes the organization's outside person, if it has none by then. */
  outsidePerson?: boolean;
};

/** Invites people to an event by email. @throws AppError FORBIDDEN, RATE_LIMITED */
export const mailEventInvites = (
  context: OperationContext<EventPermissionSubject, Actor>,
  input: MailedEventInvitesInput,
): Promise<InviteRecord[]> =>
  withInviteMailsCounted(context.actor, input.emails.length, async (tx) => {
    await assertAndLockEventAdmin(tx, context.actor, context.eventId);
    return insertMailedInvites(tx, context, input);
  });

/** Invites people to an organization by email. @throws AppError FORBIDDEN, RATE_LIMITED */
export const mailOrganizationInvites = (
  context: OperationContext<OrganizationPermissionSubject, Actor>,
  input: MailedOrganizationInvitesInput,
): Promise<InviteRecord[]> =>
  withInviteMailsCounted(context.actor, input.emails.length, async (tx) => {
    await assertAndLockOrganizationAdmin(tx, context.actor, context.organizationId);
    return insertMailedInvites(tx, context, input);
  });

/** Runs a transaction that mails invites, and counts them for their sender unless it fails. @throws AppError RATE_LIMITED */
export async function withInviteMailsCounted<Result>(
  { id }: Pick<Actor, "id">,
  mails: number,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const { refund } = await consumeLimit("invite-mail", id, mails);
  try {
    return await runTransaction(work);
  } catch (error) {
    await refund();
    throw error;
  }
}

/**
 * Stores an invite for each address, with the address as the admins' note, and queues its mail. The caller has checked
 * the right to invite.
 */
export async function insertMailedInvites(
  tx: Tx,
  context: InviterContext,
  { emails, role, outsidePerson = false }: MailedInvites,
): Promise<InviteRecord[]> {
  if (emails.length === 0) return [];
  const { organizationId, eventId = null, actor } = context;
  const expiresAt = new Date(Date.now() + INVITE_MAIL_DAYS * DAY_MS);
  const terms = {
    organizationId,
    eventId,
    role,
    outsidePerson,
    expiresAt,
    maxUses: 1,
    createdById: actor.id,
  };
  const data = emails.map((email) => ({ ...terms, code: generateInviteCode(), note: email }));
  const rows = await tx.invite.createManyAndReturn({ data, select: INVITE_COLUMNS });
  for (const { id, note } of rows) await enqueueJob(tx, "mail.invite", { inviteId: id, email: note ?? "" });
  await appendOutboxEvent(tx, { kind: "invite.changed", actorId: actor.id, organizationId, eventId });
  const ids = rows.map(({ id }) => id);
  const about = { role, maxUses: 1, mailed: true, ...(outsidePerson && { outsidePerson }) };
  await appendAuditEntries(tx, buildAuditEntry(context, "invite.create", { type: "invite", ids }, about));
  return rows.map(toInviteRecord);
}

/**
 * Mails an invite while it can be used, in the language of the account with that address or else of whoever invites. An
 * address gets a few such mails a day, and the others are dropped, so that nobody's mailbox is flooded.
 */
export async function sendInviteMail({
  inviteId,
  email,
}: {
  inviteId: string;
  email: string;
}): Promise<void> {
  const invite = await prisma.invite.findUnique({
    where: { id: inviteId },
    include: { organization: { select: { name: true } }, event: { select: { name: true } } },
  });
  if (
    !invite ||
    invite.disabled ||
    invite.useCount > 0 ||
    !invite.expiresAt ||
    invite.expiresAt <= new Date()
  )
    return;
  const counted = await consumeLimit("invite-mail-address", email).catch(ignoreRateLimit);
  if (!counted) return;
  const place = (invite.event ?? invite.organization).name;
  const { name, locale } = await findInvitee(email, invite.createdById);
  const message = composeInviteMail({
    name,
    locale,
    place,
    url: buildInviteLink(invite.code),
    days: INVITE_MAIL_DAYS,
  });
  await sendMail({ to: email, message }).catch(async (error: unknown) => {
    await counted.refund();
    throw error;
  });
}

function ignoreRateLimit(error: unknown): null {
  if (error instanceof AppError && error.code === "RATE_LIMITED") return null;
  throw error;
}

async function findInvitee(
  email: string,
  inviterId: string | null,
): Promise<{ name: string; locale: string | null }> {
  const account = await prisma.user.findUnique({ where: { email }, select: { id: true } });
  const recipient = account && (await findMailRecipient(account.id));
  if (recipient?.verified) return recipient;
  const inviter = inviterId === null ? null : await findMailRecipient(inviterId);
  return { name: "", locale: inviter?.locale ?? null };
}
