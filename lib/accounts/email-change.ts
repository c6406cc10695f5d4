import { randomBytes } from "node:crypto";
import { audit } from "#lib/audit/audit.ts";
import { db, transaction, type Tx } from "#lib/db.ts";
import { env } from "#lib/env.ts";
import { AppError, isUniqueViolation } from "#lib/errors.ts";
import { enqueue } from "#lib/jobs/enqueue.ts";
import { hashToken } from "#lib/accounts/sessions.ts";

/**
 * A change of address that somebody else asked for waits until the owner of the account confirms it,
 * through a link sent to the present address: otherwise it would be a way to take an account over (rulings R2).
 * One that the owner asked for waits for the new address, which proves that it is theirs; the present one is told.
 */

/** `own`: the owner of the account asked for it. */
type EmailChangeMail = {
  /** What the person chose; null for no choice. */
  locale: string | null;
  to: string;
  name: string;
  url: string;
  newEmail: string;
  minutes: number;
  own: boolean;
};

const OWN_HOURS = 24;

/** Lets a change of one's own address wait, in place of one that waits already. @throws AppError EMAIL_TAKEN */
export async function askForOwnEmail(
  tx: Tx,
  user: { id: string; email: string },
  newEmail: string,
): Promise<void> {
  if ((await tx.user.count({ where: { email: newEmail } })) > 0) throw emailTaken();
  await tx.$executeRaw`
    insert into email_changes (user_id, new_email, token_hash, requested_by, expires_at)
    values (${user.id}::uuid, ${newEmail}, null, ${user.id}::uuid, now() + make_interval(hours => ${OWN_HOURS}::int))
    on conflict (user_id) do update set new_email = excluded.new_email, token_hash = null,
      requested_by = excluded.requested_by, expires_at = excluded.expires_at, created_at = now()`;
  await enqueue(tx, "mail.emailChange", { userId: user.id });
  const notice = { userId: user.id, kind: "emailChangeAsked", formerEmail: user.email } as const;
  await enqueue(tx, "mail.notice", notice);
}

/** Makes the token of a waiting change and its link. Null when nothing waits (any more). */
export async function issueEmailChange(userId: string): Promise<EmailChangeMail | null> {
  const token = randomBytes(32).toString("base64url");
  const [waiting] = await db.$queryRaw<(Omit<EmailChangeMail, "to" | "url"> & { email: string })[]>`
    update email_changes c set token_hash = ${hashToken(token)} from users u
    where c.user_id = ${userId}::uuid and u.id = c.user_id and c.expires_at > now()
    returning u.email, u.name, u.locale, c.new_email as "newEmail", c.requested_by = c.user_id as own, (extract(epoch from c.expires_at - now()) / 60)::int as minutes`;
  if (!waiting) return null;
  const url = `${env().baseUrl}/confirm-email?token=${token}`;
  const { email, ...change } = waiting;
  return { ...change, url, to: change.own ? change.newEmail : email };
}

/**
 * Applies the change that the token belongs to; the token is used up.
 * @throws AppError CONFIRM_TOKEN_INVALID, EMAIL_TAKEN
 */
export async function confirmEmailChange(token: string, requestId: string): Promise<void> {
  try {
    await transaction(async (tx) => {
      const [change] = await tx.$queryRaw<{ user_id: string; new_email: string; requested_by: string }[]>`
        delete from email_changes where token_hash = ${hashToken(token)} and expires_at > now()
        returning user_id, new_email, requested_by`;
      if (!change)
        throw new AppError(
          "CONFIRM_TOKEN_INVALID",
          "This link can't be used any more.",
          "Each link works once, for a limited time.",
        );
      const where = { id: change.user_id };
      const { email: formerEmail } = await tx.user.findUniqueOrThrow({ where, select: { email: true } });
      await tx.user.update({ where, data: { email: change.new_email }, select: { id: true } });
      // A link to set a new password that lies in the former mailbox must not work any more.
      await tx.passwordReset.deleteMany({ where: { userId: change.user_id } });
      await enqueue(tx, "mail.notice", { userId: change.user_id, kind: "emailChanged", formerEmail });
      await audit(tx, {
        action: "account.changeEmail",
        actorId: change.user_id,
        right: "self",
        object: { type: "user", id: change.user_id },
        data: { requestedBy: change.requested_by },
        requestId,
      });
    });
  } catch (error) {
    if (isUniqueViolation(error, "email")) throw emailTaken();
    throw error;
  }
}

const emailTaken = () =>
  new AppError("EMAIL_TAKEN", "This e-mail address already has an account.", "email: choose another address");
