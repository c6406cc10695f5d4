import { isVerifiedSql } from "#lib/accounts/email-verification.ts";
import { sql } from "#lib/database/client.ts";

/**
 * `verified`: an unverified address may be a stranger's, so it receives only links that verify it or set a password.
 */
type Recipient = { email: string; name: string; locale: string | null; verified: boolean };

/** Returns the address, name and language of a user, or null when the account is gone. */
export async function recipientOf(userId: string): Promise<Recipient | null> {
  const [user] = await sql.$queryRaw<Recipient[]>`
    select u.email, u.name, u.locale, ${isVerifiedSql()} as verified from users u where u.id = ${userId}::uuid`;
  return user ?? null;
}
