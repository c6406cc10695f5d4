import { compareEventRoles } from "#lib/operation/event-roles.ts";
import { lockPersonRow } from "#lib/accounts/person-lock.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { AppError, createNotFoundError } from "#lib/operation/errors.ts";
import { hasInviteCodeFormat, generateInviteCode } from "#lib/crypto/random-code.ts";
import { findInviteState, IS_INVITE_USABLE_SQL } from "#lib/invites/queries.ts";
import { INVITE_COLUMNS, toInviteRecord } from "#lib/invites/schema.ts";
import type {
  InviteChangeInput,
  InviteRecord,
  NewEventInviteInput,
  NewOrganizationInviteInput,
} from "#lib/invites/schema.ts";
import type { InviteCodePermissionSubject, OrganizationInvitePermissionSubject } from "#lib/invites/scope.ts";
import { appendOutboxEvent } from "#lib/jobs/append-event.ts";
import { assertAndLockOrganizationAdmin } from "#lib/organizations/members.ts";
import {
  toOrganizationRecord,
  ORGANIZATION_COLUMNS,
  type OrganizationRecord,
} from "#lib/organizations/schema.ts";
import type { OrganizationPermissionSubject } from "#lib/organizations/scope.ts";
import type { Actor, EventRole, OrganizationRole } from "#lib/operation/policy.ts";

/** Creates an invite to an organization. @throws AppError FORBIDDEN */
export const createOrganizationInvite = (
  context: OperationContext<OrganizationPermissionSubject, Actor>,
  newInvite: NewOrganizationInviteInput,
): Promise<InviteRecord> =>
  runTransaction(async (tx) => {
    await assertAndLockOrganizationAdmin(tx, context.actor, context.organizationId);
    return insertInvite(tx, context, newInvite);
  });

/** Stores an invite to an organization or, with `eventId`, to an event of it, and appends the audit entry. */
export async function insertInvite(
  tx: Tx,
  context: OperationContext<OrganizationPermissionSubject & { eventId?: string }, Actor>,
  newInvite: NewOrganizationInviteInput | NewEventInviteInput,
): Promise<InviteRecord> {
  const { organizationId, eventId = null, actor } = context;
  const data = { ...newInvite, organizationId, eventId, code: generateInviteCode(), createdById: actor.id };
  const row = await tx.invite.create({ data, select: INVITE_COLUMNS });
  await appendOutboxEvent(tx, { kind: "invite.changed", actorId: actor.id, organizationId, eventId });
  await appendAuditEntry(
    tx,
    buildAuditEntry(
      context,
      "invite.create",
      { type: "invite", id: row.id },
      { role: row.role, maxUses: row.maxUses },
    ),
  );
  return toInviteRecord(row);
}

/**
 * Disables, enables or annotates an invite to an organization. Redeeming changes the same row, so once the response
 * is sent, no redemption misses the change.
 * @throws AppError NOT_FOUND, also for invites to events and of other organizations
 */
export const changeOrganizationInvite = (
  context: OperationContext<OrganizationInvitePermissionSubject, Actor>,
  change: InviteChangeInput,
): Promise<InviteRecord> =>
  runTransaction(async (tx) => {
    await assertAndLockOrganizationAdmin(tx, context.actor, context.organizationId);
    return updateInvite(tx, context, change);
  });

/**
 * Changes an invite to an organization or, with `eventId`, to an event of it, and appends the audit entry.
 * @throws AppError NOT_FOUND
 */
export async function updateInvite(
  tx: Tx,
  context: OperationContext<OrganizationInvitePermissionSubject & { eventId?: string }, Actor>,
  change: InviteChangeInput,
): Promise<InviteRecord> {
  const { organizationId, eventId = null, inviteId, actor } = context;
  const where = { id: inviteId, organizationId, eventId };
  const [row] = await tx.invite.updateManyAndReturn({ where, data: change, select: INVITE_COLUMNS });
  if (!row) throw createNotFoundError("invite");
  await appendOutboxEvent(tx, { kind: "invite.changed", actorId: actor.id, organizationId, eventId });
  await appendAuditEntry(
    tx,
    buildAuditEntry(
      context,
      "invite.change",
      { type: "invite", id: inviteId },
      { fields: Object.keys(change), disabled: row.disabled },
    ),
  );
  return toInviteRecord(row);
}

/**
 * Makes the caller a member of the organization that the code invites to (contract 5.3).
 * @throws AppError like `redeemInvite`; NOT_FOUND also for codes of event invites
 */
export const redeemOrganizationInvite = ({
  code,
  actor,
  call,
}: OperationContext<InviteCodePermissionSubject, Actor>): Promise<RedeemedInvite> =>
  runTransaction((tx) =>
    redeemInvite(tx, { code, userId: actor.id, requestId: call.requestId, only: "organization" }),
  );

type Redemption = {
  code: string;
  /** The user who joins; their row must exist in this transaction. */
  userId: string;
  requestId: string;
  /** Accepts only invites to an organization, or only those to an event; any when missing. */
  only?: "organization" | "event";
};

type RedeemedInvite = {
  inviteId: string;
  organizationId: string;
  organization: OrganizationRecord;
  /** Null when the invite is to the organization itself. */
  eventId: string | null;
  role: OrganizationRole | EventRole;
};

/**
 * Redeems an invite, as the last step of the caller's transaction: makes the user a member with the invite's role,
 * counts the use and appends an audit entry. One statement increments the count only while the invite allows it, so
 * that uses never exceed `maxUses`; after an error the whole transaction must be rolled back.
 * @throws AppError NOT_FOUND, ALREADY_MEMBER, INVITE_DISABLED, INVITE_EXPIRED, INVITE_EXHAUSTED
 */
export async function redeemInvite(
  tx: Tx,
  { code, userId, requestId, only }: Redemption,
): Promise<RedeemedInvite> {
  const invite = await requireInviteByCode(tx, code);
  if (only && only !== (invite.eventId ? "event" : "organization")) throw createNotFoundError("invite");
  await addMembership(tx, invite, userId);
  await countInviteUse(tx, invite.id);
  if (invite.outsidePerson) await claimOutsidePerson(tx, invite.organizationId, { userId, requestId });
  await tx.inviteUse.createMany({ data: { inviteId: invite.id, userId }, skipDuplicates: true });
  const { id, organizationId, organization, eventId, role } = invite;
  const membership = { organizationId, eventId, personIds: [userId], state: role };
  await appendOutboxEvent(tx, { kind: "role.changed", actorId: userId, ...membership });
  await appendAuditEntry(
    tx,
    buildAuditEntry(
      { organizationId, eventId, actor: { id: userId }, right: "invite", call: { requestId } },
      "invite.use",
      { type: "invite", id },
      { userId, role },
    ),
  );
  return {
    inviteId: id,
    organizationId,
    organization: toOrganizationRecord(organization),
    eventId,
    role: role as RedeemedInvite["role"],
  };
}

type RedeemableInvite = NonNullable<Awaited<ReturnType<typeof findInviteByCode>>>;

const findInviteByCode = (tx: Tx, code: string) =>
  tx.invite.findUnique({
    where: { code },
    select: {
      id: true,
      organizationId: true,
      eventId: true,
      role: true,
      outsidePerson: true,
      organization: { select: ORGANIZATION_COLUMNS },
    },
  });

async function requireInviteByCode(tx: Tx, code: string): Promise<RedeemableInvite> {
  const found = hasInviteCodeFormat(code) ? await findInviteByCode(tx, code) : null;
  if (!found) throw createNotFoundError("invite");
  return found;
}

/**
 * Adds the membership before the use is counted: of several simultaneous attempts of one person, all but one find the
 * row and stop here.
 */
async function addMembership(
  tx: Tx,
  { organizationId, eventId, role, outsidePerson }: RedeemableInvite,
  userId: string,
): Promise<void> {
  await lockPersonRow(tx, userId);
  const count = eventId
    ? await joinEvent(tx, eventId, { userId, role: role as EventRole })
    : await joinOrganization(tx, organizationId, { userId, role: role as OrganizationRole });
  if (count === 0 && !outsidePerson) throw new AppError("ALREADY_MEMBER", "youAreAlreadyMember");
}

/** Makes a member the outside person of an organization that has none. */
async function claimOutsidePerson(
  tx: Tx,
  organizationId: string,
  { userId, requestId }: Pick<Redemption, "userId" | "requestId">,
): Promise<void> {
  const where = { id: organizationId, outsidePersonId: null };
  const { count } = await tx.organization.updateMany({ where, data: { outsidePersonId: userId } });
  if (count === 0) return;
  const context = { organizationId, actor: { id: userId }, right: "invite", call: { requestId } };
  const target = { type: "organization", id: organizationId };
  await appendAuditEntry(
    tx,
    buildAuditEntry(context, "organization.changeOutsidePerson", target, { userId }),
  );
}

/**
 * Makes a person a member with the role of an invite. A pending invitation is accepted, with the stronger of its role
 * and the invite's; an actual membership stays unchanged. @returns the number of rows written: 0 for a member
 */
async function joinOrganization(
  tx: Tx,
  organizationId: string,
  { userId, role }: { userId: string; role: OrganizationRole },
): Promise<number> {
  const membership = { organizationId, userId };
  const added = await tx.organizationMember.createMany({
    data: { ...membership, role },
    skipDuplicates: true,
  });
  if (added.count > 0) return added.count;
  const accepted = await tx.organizationMember.updateMany({
    where: { ...membership, pending: true },
    data: { pending: false, ...(role === "org_admin" && { role }) },
  });
  return accepted.count;
}

/**
 * Gives a person the role of an invite, unless they hold it or a stronger one (contract 5.3), and accepts the roles
 * that they were invited to.
 * @returns the number of roles that are new to them, 0 for somebody who is a member already
 */
async function joinEvent(
  tx: Tx,
  eventId: string,
  { userId, role }: { userId: string; role: EventRole },
): Promise<number> {
  const accepted = await tx.eventRole.updateMany({
    where: { eventId, userId, pending: true },
    data: { pending: false },
  });
  const held = await tx.eventRole.findMany({ where: { eventId, userId }, select: { roleName: true } });
  if (held.some(({ roleName }) => compareEventRoles(roleName, role) >= 0)) return accepted.count;
  // A report may give them the same role at this moment.
  const added = await tx.eventRole.createMany({
    data: { eventId, userId, roleName: role },
    skipDuplicates: true,
  });
  return accepted.count + added.count;
}

async function countInviteUse(tx: Tx, inviteId: string): Promise<void> {
  const counted = await tx.$executeRaw`
    update invites i set use_count = i.use_count + 1 where i.id = ${inviteId}::uuid and ${IS_INVITE_USABLE_SQL}`;
  if (counted === 0) throw await createUnusableInviteError(tx, inviteId);
}

async function createUnusableInviteError(tx: Tx, inviteId: string): Promise<AppError> {
  const row = await findInviteState(tx, inviteId);
  if (!row) return createNotFoundError("invite");
  if (row.disabled) return new AppError("INVITE_DISABLED", "inviteDisabled");
  if (row.expired) return new AppError("INVITE_EXPIRED", "inviteExpired");
  return new AppError("INVITE_EXHAUSTED", "inviteExhausted");
}
