import type { AccountSubject } from "#lib/admin/scope.ts";
import type { AdminUserChange, SecondFactorReset } from "#lib/admin/schema.ts";
import { isVerifiedSql } from "#lib/accounts/email-verification.ts";
import { verifyCurrentPassword } from "#lib/accounts/own-password.ts";
import { deleteSecondFactor, requireCode, limitCodeAttempts } from "#lib/accounts/second-factors.ts";
import { revokeSessions } from "#lib/accounts/sessions.ts";
import type { OperationContext } from "#lib/operation/operation.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction, type Tx } from "#lib/database/client.ts";
import { AppError, tokenScopeExceeded, forbidden, notFound } from "#lib/operation/errors.ts";
import { enqueue } from "#lib/jobs/enqueue.ts";
import type { Actor, SessionActor } from "#lib/operation/policy.ts";

type AccountContext = OperationContext<AccountSubject, Actor>;

/**
 * Gives or takes the system role, disables or enables an account (contract 12.1). Who is disabled is out at
 * once: sessions, tokens and links in mails end with the same commit. Enabling brings none of them back.
 * @throws AppError NOT_FOUND, FORBIDDEN, LAST_ADMIN, TOKEN_SCOPE
 */
export async function changeUser(context: AccountContext, change: AdminUserChange): Promise<void> {
  const { userId, actor, right, call } = context;
  // Who has the system role may change anybody's address: a token that gave it would reach every account.
  if (actor.token && change.systemAdmin)
    throw tokenScopeExceeded("An API token can't grant the system role. Sign in to do this.");
  await runTransaction(async (tx) => {
    await lockSystemAdmins(tx, context, change);
    const before = await lockUser(tx, userId);
    const { systemAdmin = before.systemAdmin, disabled = before.disabled } = change;
    if (systemAdmin === before.systemAdmin && disabled === before.disabled) return;
    await tx.$executeRaw`
      update users set system_admin = ${systemAdmin}, updated_at = now(),
        disabled_at = case when ${disabled} then coalesce(disabled_at, now()) end
      where id = ${userId}::uuid`;
    // Whoever signed in while the account was being disabled has a session, too: it must not come back to life.
    if (disabled !== before.disabled) await revokeAllAccess(tx, userId);
    await appendAuditEntry(tx, {
      action: "user.change",
      actorId: actor.id,
      right,
      object: { type: "user", id: userId },
      data: { userId, systemAdmin, disabled },
      requestId: call.requestId,
    });
  });
}

/**
 * Turns off the second factor of somebody who has lost it: their sessions end, and they are told by mail. It takes what
 * turning off one's own does, so that a SystemAdmin's open session is not enough.
 * @throws InvalidInputError for a wrong password or code; AppError FORBIDDEN for one's own, NOT_FOUND, RATE_LIMITED
 */
export async function resetSecondFactor(
  context: OperationContext<AccountSubject, SessionActor>,
  { password, code }: SecondFactorReset,
): Promise<void> {
  const { userId, actor, right, call } = context;
  if (userId === actor.id)
    throw new AppError(
      "FORBIDDEN",
      "You can't reset your own second factor here.",
      "Turn it off in your account, with a code of your app or a recovery code.",
    );
  await verifyCurrentPassword(context, password, "password");
  await limitCodeAttempts(context, () =>
    runTransaction(async (tx) => {
      await requireCode(tx, actor.id, code);
      await lockActorAndUser(tx, context);
      await deleteSecondFactor(tx, actor, userId);
      await revokeSessions(tx, userId);
      await enqueue(tx, "mail.notice", { userId, kind: "secondFactorReset" });
      await appendAuditEntry(tx, {
        action: "user.resetSecondFactor",
        actorId: actor.id,
        right,
        object: { type: "user", id: userId },
        data: { userId },
        requestId: call.requestId,
      });
    }),
  );
}

/** In one order, so that two who reset each other's follow one another. @throws AppError FORBIDDEN, NOT_FOUND */
async function lockActorAndUser(tx: Tx, { userId, actor }: AccountContext): Promise<void> {
  const rows = await tx.$queryRaw<{ id: string; admin: boolean }[]>`
    select id, system_admin and disabled_at is null as admin from users
    where id in (${userId}::uuid, ${actor.id}::uuid) order by id for no key update`;
  if (!rows.some(({ id, admin }) => id === actor.id && admin)) throw forbidden();
  if (!rows.some(({ id }) => id === userId)) throw notFound("This person");
}

/**
 * Locks every SystemAdmin that is not disabled, and whose address is confirmed, until the commit, so that simultaneous
 * changes see one another. One always stays. The rule comes before the right: of two who demote each other, the second
 * hears that the other is the last.
 * @throws AppError LAST_ADMIN, FORBIDDEN
 */
async function lockSystemAdmins(
  tx: Tx,
  { userId, actor }: AccountContext,
  change: AdminUserChange,
): Promise<void> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    select u.id from users u where u.system_admin and u.disabled_at is null and ${isVerifiedSql()}
    order by u.id for no key update`;
  const admins = rows.map(({ id }) => id);
  const losesSystemAdmin = change.systemAdmin === false || change.disabled === true;
  if (losesSystemAdmin && admins.length === 1 && admins[0] === userId) {
    throw new AppError(
      "LAST_ADMIN",
      "This is the last SystemAdmin.",
      "Make somebody else SystemAdmin first.",
    );
  }
  if (!admins.includes(actor.id)) throw forbidden();
}

async function lockUser(tx: Tx, userId: string): Promise<{ systemAdmin: boolean; disabled: boolean }> {
  const [user] = await tx.$queryRaw<{ systemAdmin: boolean; disabled: boolean }[]>`
    select system_admin as "systemAdmin", disabled_at is not null as disabled
    from users where id = ${userId}::uuid for no key update`;
  if (!user) throw notFound("This person");
  return user;
}

async function revokeAllAccess(tx: Tx, userId: string): Promise<void> {
  await tx.session.deleteMany({ where: { userId } });
  await tx.apiToken.deleteMany({ where: { userId } });
  await tx.passwordReset.deleteMany({ where: { userId } });
  await tx.emailChange.deleteMany({ where: { userId } });
  await tx.emailVerification.deleteMany({ where: { userId } });
}
