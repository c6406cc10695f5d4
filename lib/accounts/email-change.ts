import { randomBytes } from "node:crypto";
import { audit } from "#lib/audit/audit.ts";
import { db, transaction } from "#lib/db.ts";
import { env } from "#lib/env.ts";
import { AppError, isUniqueViolation } from "#lib/errors.ts";
import { enqueue } from "#lib/jobs/enqueue.ts";
import { hashToken } from "#lib/accounts/sessions.ts";

/**
 * A change of address that somebody else asked for waits until the owner of the account confirms it,
 * through a link sent to the present address: otherwise it would be a way to take an account over (rulings R2).
 */

export type EmailChangeMail = { to: string; name: string; url: string; newEmail: string; minutes: number };

/** Makes the token of a waiting change and its link. Null when nothing waits (any more). */
export async function issueEmailChange(userId: string): Promise<EmailChangeMail | null> {
  const token = randomBytes(32).toString("base64url");
  const [waiting] = await db.$queryRaw<{ email: string; name: string; newEmail: string; minutes: number }[]>`
    update email_changes c set token_hash = ${hashToken(token)} from users u
    where c.user_id = ${userId}::uuid and u.id = c.user_id and c.expires_at > now()
    returning u.email, u.name, c.new_email as "newEmail", (extract(epoch from c.expires_at - now()) / 60)::int as minutes`;
  if (!waiting) return null;
  const url = `${env().baseUrl}/confirm-email?token=${token}`;
  return { to: waiting.email, name: waiting.name, url, newEmail: waiting.newEmail, minutes: waiting.minutes };
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
    if (isUniqueViolation(error, "email"))
      throw new AppError("EMAIL_TAKEN", "This e-mail address already has an account.");
    throw error;
  }
}
