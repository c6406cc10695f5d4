import { isEmailVerifiedIfRequired } from "#lib/accounts/email-verification.ts";
import { prisma } from "#lib/database/client.ts";

/**
 * `verified`: an unverified address may be a stranger's, so it receives only links that verify it or set a password.
 */
type Recipient = { email: string; name: string; locale: string | null; verified: boolean };

/** Returns the address, name and language of a user, or null when the account is gone. */
export async function findMailRecipient(userId: string): Promise<Recipient | null> {
  const user = await prisma.user.findUnique({
    where: { id: userId },
    select: { email: true, name: true, locale: true, emailVerifiedAt: true },
  });
  if (!user) return null;
  const { email, name, locale } = user;
  return { email, name, locale, verified: isEmailVerifiedIfRequired(user) };
}
