import { sql } from "#lib/database/client.ts";

/**
 * Queries for the records behind mailed links that confirm an email address. The database's clock decides whether a
 * link is still valid.
 */

export type PendingEmailChange = {
  userId: string;
  /** The current address. */ email: string;
  newEmail: string;
  requestedBy: string;
  /** Whether the owner of the account requested the change. */ own: boolean;
};

/** Finds the pending change of email address that a token belongs to. */
export async function findPendingEmailChangeByTokenHash(
  tokenHash: Uint8Array,
): Promise<PendingEmailChange | undefined> {
  const [change] = await sql.$queryRaw<PendingEmailChange[]>`
    select c.user_id as "userId", u.email, c.new_email as "newEmail", c.requested_by as "requestedBy",
      c.requested_by = c.user_id as own
    from email_changes c join users u on u.id = c.user_id
    where c.token_hash = ${tokenHash} and c.expires_at > now()`;
  return change;
}

export type PendingEmailVerification = { userId: string; email: string };

/** Finds the account and address that a token would verify. */
export async function findPendingEmailVerificationByTokenHash(
  tokenHash: Uint8Array,
): Promise<PendingEmailVerification | undefined> {
  const [pending] = await sql.$queryRaw<PendingEmailVerification[]>`
    select v.user_id as "userId", v.email from email_verifications v join users u on u.id = v.user_id and u.email = v.email
    where v.token_hash = ${tokenHash} and v.expires_at > now() and u.disabled_at is null`;
  return pending;
}
