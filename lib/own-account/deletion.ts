import { compareNames } from "#lib/design/name-order.ts";
import { buildOwnAccountAuditEntry } from "#lib/accounts/current-user-audit.ts";
import { appendAuditEntry, buildActorlessAuditEntry } from "#lib/audit/audit.ts";
import { recordErasure } from "#lib/erasures/ledger.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import type { ErrorTerm } from "#lib/i18n/error-text.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { deadlineSql } from "#lib/incidents/deadline-sql.ts";
import { AppError, createUnauthenticatedError } from "#lib/operation/errors.ts";
import { unassignFormerTeamMember } from "#lib/events/assignments.ts";
import { clearAnswersOfPersonSql } from "#lib/access/readers-sql.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { isEventRoleUsableSql, isMembershipUsableSql } from "#lib/access/team-sql.ts";
import { isEmailVerifiedIfRequiredSql } from "#lib/access/verified-sql.ts";
import { verifyCurrentPassword } from "#lib/accounts/own-password.ts";
import { listMembershipsByOrganization } from "#lib/own-account/queries.ts";
import type { AccountDeletionInput } from "#lib/accounts/schema.ts";
import {
  consumeRequiredSecondFactorCode,
  runWithSecondFactorCodeLimit,
} from "#lib/accounts/second-factors.ts";
import type { OwnAccountContext } from "#lib/accounts/tokens.ts";
import { OPEN_STATES } from "#lib/access/incident-states.ts";
import { EVENT_ADMIN_ROLES_SQL, ORG_ADMIN_ROLES_SQL } from "#lib/access/policy-sql.ts";

/**
 * Deletes the current user's account. Reports, messages and notes stay without the name; memberships, roles, sessions,
 * tokens, pins and notifications are deleted. The audit log keeps the id. If the address counts as verified, a mail that
 * confirms the deletion is queued.
 * @throws InvalidInputError for a wrong password or code; AppError LAST_ADMIN when they are the last admin of
 *   something, which the details name; RATE_LIMITED
 */
export async function deleteCurrentUserAccount(
  context: OwnAccountContext,
  { currentPassword, code }: AccountDeletionInput,
): Promise<void> {
  const userId = context.actor.id;
  await verifyCurrentPassword(context, currentPassword);
  await runWithSecondFactorCodeLimit(context, () =>
    runTransaction(async (tx) => {
      // Locked first, as at a sign-in, which then uses up a code.
      const { email, verified, avatarKey } = await requireAndLockAccount(tx, userId);
      await consumeRequiredSecondFactorCode(tx, userId, code);
      await refuseLastAdmin(tx, userId);
      const places = await listMembershipsByOrganization(tx, userId);
      await deleteAccountRows(tx, userId, avatarKey);
      const locale = context.actor.locale ?? null;
      if (verified)
        await enqueueJob(tx, "mail.notice", { userId, kind: "accountDeleted", formerEmail: email, locale });
      for (const place of places)
        await appendAuditEntry(tx, buildOwnAccountAuditEntry({ ...context, ...place }, "account.leave"));
      await appendAuditEntry(tx, buildOwnAccountAuditEntry(context, "account.delete"));
    }),
  );
}

/**
 * Deletes an account that a restored backup brought back, without checks or mails. @returns whether the account existed
 */
export async function deleteRestoredAccount(tx: Tx, userId: string): Promise<boolean> {
  const account = await findAndLockAccount(tx, userId);
  if (!account) return false;
  await deleteAccountRows(tx, userId, account.avatarKey);
  await appendAuditEntry(
    tx,
    buildActorlessAuditEntry(
      { right: "service" },
      "account.delete",
      { type: "user", id: userId },
      { again: true },
    ),
  );
  return true;
}

async function deleteAccountRows(tx: Tx, userId: string, avatarKey: string | null): Promise<void> {
  await unassignAllIncidents(tx, userId);
  await tx.$executeRaw(clearAnswersOfPersonSql(userId));
  // A number that is left would keep the account: the database holds none of a report that names no account.
  await tx.$executeRaw`
    update incidents i set reporter_id = null, contact_phone = null, ${deadlineSql({ reporter_id: Prisma.sql`null::uuid` })}
    where reporter_id = ${userId}::uuid`;
  await tx.user.delete({ where: { id: userId }, select: { id: true } });
  if (avatarKey) await enqueueJob(tx, "files.remove", { keys: [avatarKey] });
  await recordErasure(tx, "user", userId);
}

type AccountRow = { email: string; avatarKey: string | null; verified: boolean };

async function requireAndLockAccount(tx: Tx, userId: string): Promise<AccountRow> {
  const account = await findAndLockAccount(tx, userId);
  if (!account) throw createUnauthenticatedError();
  return account;
}

/** Locks the account: a concurrent grant of a role waits, and then finds no account. */
async function findAndLockAccount(tx: Tx, userId: string): Promise<AccountRow | undefined> {
  const [account] = await tx.$queryRaw<AccountRow[]>`
    select u.email, u.avatar_key as "avatarKey", ${isEmailVerifiedIfRequiredSql()} as verified
    from users u where u.id = ${userId}::uuid for update`;
  return account;
}

/**
 * Locks, in the same order for everyone, all admins wherever this person is one, so that of the last two who leave at
 * the same time one stays. Admins who can't use their role don't count, except for this person (contract 2.6).
 */
async function refuseLastAdmin(tx: Tx, userId: string): Promise<void> {
  type AdminRow = { place: string; userId: string };
  const system = await tx.$queryRaw<AdminRow[]>`
    select 'system' as place, id as "userId" from users u
    where system_admin and disabled_at is null and (${isEmailVerifiedIfRequiredSql()} or id = ${userId}::uuid)
      and exists (select 1 from users where id = ${userId}::uuid and system_admin)
    order by id for no key update`;
  const organizations = await tx.$queryRaw<AdminRow[]>`
    select m.organization_id as place, m.user_id as "userId" from organization_members m
    where m.role in ${ORG_ADMIN_ROLES_SQL} and not m.pending and (m.user_id = ${userId}::uuid or ${isMembershipUsableSql()})
      and m.organization_id in (select organization_id from organization_members
        where user_id = ${userId}::uuid and role in ${ORG_ADMIN_ROLES_SQL} and not pending)
    order by m.organization_id, m.user_id for update`;
  const events = await tx.$queryRaw<AdminRow[]>`
    select r.event_id as place, r.user_id as "userId" from event_roles r
    where r.role_name in ${EVENT_ADMIN_ROLES_SQL} and not r.pending and (r.user_id = ${userId}::uuid or ${isEventRoleUsableSql()})
      and r.event_id in (select event_id from event_roles
        where user_id = ${userId}::uuid and role_name in ${EVENT_ADMIN_ROLES_SQL} and not pending)
    order by r.event_id, r.user_id for update`;
  const findSoleAdminPlaces = (matchedRows: AdminRow[]) => {
    const others = new Set(matchedRows.filter((one) => one.userId !== userId).map(({ place }) => place));
    return matchedRows.map(({ place }) => place).filter((place) => !others.has(place));
  };
  const last = {
    system: findSoleAdminPlaces(system),
    organizations: findSoleAdminPlaces(organizations),
    events: findSoleAdminPlaces(events),
  };
  if (Object.values(last).some((places) => places.length > 0)) throw await createLastAdminError(tx, last);
}

type SoleAdminPlaces = { system: string[]; organizations: string[]; events: string[] };

async function createLastAdminError(
  tx: Tx,
  { system, organizations, events }: SoleAdminPlaces,
): Promise<AppError> {
  const select = { name: true } as const;
  const ofOrganizations = await tx.organization.findMany({ where: { id: { in: organizations } }, select });
  const ofEvents = await tx.event.findMany({ where: { id: { in: events } }, select });
  const roles: ErrorTerm[] = [
    ...(system.length > 0 ? [{ term: "role.systemAdmin" as const }] : []),
    ...ofOrganizations
      .toSorted(compareNames)
      .map(({ name }) => ({ term: "role.organizationAdmin" as const, values: { name } })),
    ...ofEvents
      .toSorted(compareNames)
      .map(({ name }) => ({ term: "role.eventAdmin" as const, values: { name } })),
  ];
  return new AppError("LAST_ADMIN", "soleAdmin", { roles });
}

/**
 * Unassigns the person's incidents, with a history entry for each. Deletes their roles first, as
 * `unassignFormerTeamMember` requires.
 */
async function unassignAllIncidents(tx: Tx, userId: string): Promise<void> {
  await tx.eventRole.deleteMany({ where: { userId } });
  const events = await tx.event.findMany({
    where: {
      incidents: { some: { assignedResponderId: userId, state: { in: [...OPEN_STATES] } } },
    },
    orderBy: [{ organizationId: "asc" }, { id: "asc" }],
    select: { id: true, organizationId: true },
  });
  for (const { id: eventId, organizationId } of events)
    await unassignFormerTeamMember(tx, { eventId, organizationId, userId }, { id: userId });
}
