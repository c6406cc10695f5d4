import type { AccountSubject } from "#lib/admin/scope.ts";
import type { AdminUserChange } from "#lib/admin/schema.ts";
import type { Context } from "#lib/api/operation.ts";
import { audit } from "#lib/audit/audit.ts";
import { transaction, type Tx } from "#lib/db.ts";
import { AppError, beyondToken, forbidden, notFound } from "#lib/errors.ts";
import type { Actor } from "#lib/policy.ts";

type Doing = Context<AccountSubject, Actor>;

/**
 * Gives or takes the system role, disables or enables an account (rulings R7). Who is disabled is out at
 * once: sessions, tokens and links in mails end with the same commit. Enabling brings none of them back.
 * @throws AppError NOT_FOUND, FORBIDDEN, LAST_ADMIN, TOKEN_SCOPE
 */
export async function changeUser(doing: Doing, change: AdminUserChange): Promise<void> {
  const { userId, actor, right, call } = doing;
  // Who has the system role may change anybody's address: a token that gave it would reach every account.
  if (actor.token && change.systemAdmin)
    throw beyondToken("An API token can't grant the system role. Sign in to do this.");
  await transaction(async (tx) => {
    await lockSystemAdmins(tx, doing, change);
    const before = await lockUser(tx, userId);
    const { systemAdmin = before.systemAdmin, disabled = before.disabled } = change;
    if (systemAdmin === before.systemAdmin && disabled === before.disabled) return;
    await tx.$executeRaw`
      update users set system_admin = ${systemAdmin}, updated_at = now(),
        disabled_at = case when ${disabled} then coalesce(disabled_at, now()) end
      where id = ${userId}::uuid`;
    // Whoever signed in while the account was being disabled has a session, too: it must not come back to life.
    if (disabled !== before.disabled) await endEveryWayIn(tx, userId);
    await audit(tx, {
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
 * Locks every SystemAdmin that is not disabled until the commit, so that simultaneous changes see one
 * another. One always stays. The rule comes before the right: of two who demote each other, the second
 * hears that the other is the last.
 * @throws AppError LAST_ADMIN, FORBIDDEN
 */
async function lockSystemAdmins(tx: Tx, { userId, actor }: Doing, change: AdminUserChange): Promise<void> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    select id from users where system_admin and disabled_at is null order by id for no key update`;
  const admins = rows.map(({ id }) => id);
  const leaves = change.systemAdmin === false || change.disabled === true;
  if (leaves && admins.length === 1 && admins[0] === userId) {
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

async function endEveryWayIn(tx: Tx, userId: string): Promise<void> {
  await tx.session.deleteMany({ where: { userId } });
  await tx.apiToken.deleteMany({ where: { userId } });
  await tx.passwordReset.deleteMany({ where: { userId } });
  await tx.emailChange.deleteMany({ where: { userId } });
}
