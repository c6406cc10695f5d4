import { compareNames } from "#lib/design/name-order.ts";
import { buildOwnAccountAuditEntry } from "#lib/accounts/current-user-audit.ts";
import { appendAuditEntry, buildActorlessAuditEntry } from "#lib/audit/audit.ts";
import { recordErasure } from "#lib/erasures/ledger.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import type { ErrorTerm } from "#lib/i18n/error-text.ts";
import { Prisma, type User } from "#lib/generated/prisma/client.ts";
import { deadlineSql } from "#lib/incidents/deadline-sql.ts";
import { AppError, createUnauthenticatedError } from "#lib/operation/errors.ts";
import { unassignFormerTeamMember } from "#lib/events/assignments.ts";
import { clearAnswersOfPersonSql } from "#lib/access/readers-sql.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import { lockEventAdmins } from "#lib/events/roles.ts";
import { lockOrganizationAdmins } from "#lib/organizations/members.ts";
import { isActivePerson, isUsableEventRole, isUsableMembership } from "#lib/access/usable-roles.ts";
import { isEmailVerifiedIfRequired } from "#lib/accounts/email-verification.ts";
import { lockSystemAdminIds } from "#lib/accounts/system-admin-lock.ts";
import { lockRow } from "#lib/database/row-lock.ts";
import { verifyCurrentPassword } from "#lib/accounts/own-password.ts";
import { listMembershipsByOrganization } from "#lib/own-account/queries.ts";
import type { AccountDeletionInput } from "#lib/accounts/schema.ts";
import {
  consumeRequiredSecondFactorCode,
  runWithSecondFactorCodeLimit,
} from "#lib/accounts/second-factors.ts";
import type { OwnAccountContext } from "#lib/accounts/tokens.ts";
import { OPEN_STATES } from "#lib/access/incident-states.ts";
import { EVENT_ADMIN_ROLES, ORG_ADMIN_ROLES } from "#lib/access/role-sets.ts";

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
      const account = await lockAccount(tx, userId);
      if (!account) throw createUnauthenticatedError();
      await consumeRequiredSecondFactorCode(tx, userId, code);
      await refuseLastAdmin(tx, account);
      const places = await listMembershipsByOrganization(tx, userId);
      await deleteAccountRows(tx, userId, account.avatarKey);
      const locale = context.actor.locale ?? null;
      if (isEmailVerifiedIfRequired(account)) {
        const formerEmail = account.email;
        await enqueueJob(tx, "mail.notice", { userId, kind: "accountDeleted", formerEmail, locale });
      }
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
  const account = await lockAccount(tx, userId);
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

/** Locks the account: a concurrent grant of a role waits, and then finds no account. */
const lockAccount = (tx: Tx, id: string) => {
  const columns = ["id", "email", "emailVerifiedAt", "avatarKey", "systemAdmin"] as const;
  return lockRow(tx, { table: "users", id, strength: "update" }, columns);
};

/**
 * Locks, in the same order for everyone, all admins wherever this person is one, so that of the last two who leave at
 * the same time one stays. Admins who can't use their role don't count, except for this person (contract 2.6).
 */
async function refuseLastAdmin(
  tx: Tx,
  { id: userId, systemAdmin }: Pick<User, "id" | "systemAdmin">,
): Promise<void> {
  const isOwn = { userId, pending: false };
  const system = systemAdmin ? await lockSystemAdminIds(tx, { OR: [{ id: userId }, isActivePerson()] }) : [];
  const organizations = await lockOrganizationAdmins(tx, {
    organization: { members: { some: { ...isOwn, role: { in: ORG_ADMIN_ROLES } } } },
    OR: [isOwn, isUsableMembership()],
  });
  const events = await lockEventAdmins(tx, {
    event: { roles: { some: { ...isOwn, roleName: { in: EVENT_ADMIN_ROLES } } } },
    OR: [isOwn, isUsableEventRole()],
  });
  const findSoleAdminPlaces = <Row extends { userId: string }>(
    admins: Row[],
    findPlace: (row: Row) => string,
  ) =>
    [...Map.groupBy(admins, findPlace)].flatMap(([place, rows]) =>
      rows.every((row) => row.userId === userId) ? place : [],
    );
  const last = {
    system: system.filter((id) => id === userId && system.length === 1),
    organizations: findSoleAdminPlaces(organizations, ({ organizationId }) => organizationId),
    events: findSoleAdminPlaces(events, ({ eventId }) => eventId),
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
