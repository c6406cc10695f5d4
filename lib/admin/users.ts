import type { AccountPermissionSubject } from "#lib/admin/scope.ts";
import type { AdminUserChangeInput, SecondFactorResetInput } from "#lib/admin/schema.ts";
import { isActivePerson } from "#lib/access/usable-roles.ts";
import { lockSystemAdminIds } from "#lib/accounts/system-admin-lock.ts";
import { verifyCurrentPassword } from "#lib/accounts/own-password.ts";
import {
  deleteSecondFactorRecords,
  consumeRequiredSecondFactorCode,
  runWithSecondFactorCodeLimit,
} from "#lib/accounts/second-factors.ts";
import { revokeUserSessionsExcept } from "#lib/accounts/sessions.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { lockRow, lockRows } from "#lib/database/row-lock.ts";
import { AppError, createForbiddenError, createNotFoundError } from "#lib/operation/errors.ts";
import { enqueueJob } from "#lib/jobs/enqueue.ts";
import type { Actor, SessionActor } from "#lib/operation/policy.ts";

type AccountContext = OperationContext<AccountPermissionSubject, Actor>;

/**
 * Grants or revokes the system role, disables or enables an account (contract 12.1). Disabling revokes sessions,
 * tokens and mailed links in the same commit; enabling restores none of them.
 * @throws AppError NOT_FOUND, FORBIDDEN, LAST_ADMIN, TOKEN_SCOPE
 */
export async function changeSystemRoleOrDisabled(
  context: AccountContext,
  change: AdminUserChangeInput,
): Promise<void> {
  const { userId, actor } = context;
  // A SystemAdmin may change anyone's address, so a token that could grant the role would reach every account.
  if (actor.token && change.systemAdmin) throw new AppError("TOKEN_SCOPE", "tokenCannotGrantSystemRole");
  await runTransaction(async (tx) => {
    await lockSystemAdmins(tx, context, change);
    const before = await lockUser(tx, userId);
    const wasDisabled = before.disabledAt !== null;
    const { systemAdmin = before.systemAdmin, disabled = wasDisabled } = change;
    if (systemAdmin === before.systemAdmin && disabled === wasDisabled) return;
    const disabledAt = disabled ? (before.disabledAt ?? new Date()) : null;
    await tx.user.update({ where: { id: userId }, data: { systemAdmin, disabledAt }, select: { id: true } });
    if (!systemAdmin || disabled) await closeOpenedIncidents(tx, userId);
    // Enabling must not bring back what raced with the disabling.
    if (disabled !== wasDisabled) await revokeAllAccess(tx, userId);
    await appendAuditEntry(
      tx,
      buildAuditEntry(
        context,
        "user.change",
        { type: "user", id: userId },
        { userId, systemAdmin, disabled },
      ),
    );
  });
}

/**
 * Turns off the second factor of someone who has lost it: revokes their sessions and queues a notice to them.
 * Requires the SystemAdmin's password and code, like turning off one's own, so that an open session is not enough.
 * @throws InvalidInputError for a wrong password or code; AppError FORBIDDEN for one's own, NOT_FOUND, RATE_LIMITED
 */
export async function resetSecondFactor(
  context: OperationContext<AccountPermissionSubject, SessionActor>,
  { currentPassword, code }: SecondFactorResetInput,
): Promise<void> {
  const { userId, actor } = context;
  if (userId === actor.id) throw new AppError("FORBIDDEN", "ownSecondFactorReset");
  await verifyCurrentPassword(context, currentPassword);
  await runWithSecondFactorCodeLimit(context, () =>
    runTransaction(async (tx) => {
      // A sign-in, too, locks the person before it uses up a code.
      await lockActorAndUser(tx, context);
      await consumeRequiredSecondFactorCode(tx, actor.id, code);
      await deleteSecondFactorRecords(tx, actor, userId);
      await revokeUserSessionsExcept(tx, userId);
      await enqueueJob(tx, "mail.notice", { userId, kind: "secondFactorReset" });
      await appendAuditEntry(
        tx,
        buildAuditEntry(context, "user.resetSecondFactor", { type: "user", id: userId }, { userId }),
      );
    }),
  );
}

/**
 * Locks both rows in a fixed order, so that two SystemAdmins who reset each other are serialized.
 * @throws AppError FORBIDDEN, NOT_FOUND
 */
async function lockActorAndUser(tx: Tx, { userId, actor }: AccountContext): Promise<void> {
  const columns = ["id", "systemAdmin", "disabledAt"] as const;
  const people = await lockRows(tx, { table: "users", where: { id: [userId, actor.id] } }, columns);
  const self = people.find(({ id }) => id === actor.id);
  if (!self?.systemAdmin || self.disabledAt) throw createForbiddenError();
  if (!people.some(({ id }) => id === userId)) throw createNotFoundError("person");
}

/**
 * Locks every active SystemAdmin with a verified address until the commit, so that simultaneous changes see each
 * other and one always stays. Checks for the last SystemAdmin before it checks the right: of two who demote each
 * other, the second learns that the other is the last.
 * @throws AppError LAST_ADMIN, FORBIDDEN
 */
async function lockSystemAdmins(
  tx: Tx,
  { userId, actor }: AccountContext,
  change: AdminUserChangeInput,
): Promise<void> {
  const admins = await lockSystemAdminIds(tx, isActivePerson());
  const losesSystemAdmin = change.systemAdmin === false || change.disabled === true;
  if (losesSystemAdmin && admins.length === 1 && admins[0] === userId) {
    throw new AppError("LAST_ADMIN", "lastSystemAdmin");
  }
  if (!admins.includes(actor.id)) throw createForbiddenError();
}

async function lockUser(tx: Tx, userId: string) {
  const user = await lockRow(tx, { table: "users", id: userId }, ["systemAdmin", "disabledAt"]);
  if (!user) throw createNotFoundError("person");
  return user;
}

/** Closes what a person has opened in an emergency (contract 16.5). */
const closeOpenedIncidents = (tx: Tx, userId: string) =>
  tx.incidentReader.updateMany({
    where: { userId, openedUntil: { not: null } },
    data: { openedUntil: null },
  });

async function revokeAllAccess(tx: Tx, userId: string): Promise<void> {
  await tx.session.deleteMany({ where: { userId } });
  await tx.apiToken.deleteMany({ where: { userId } });
  await tx.passwordReset.deleteMany({ where: { userId } });
  await tx.emailChange.deleteMany({ where: { userId } });
  await tx.emailVerification.deleteMany({ where: { userId } });
}
