import { db } from "#lib/db.ts";

/** Address, name and language of a user, or null when the account is gone. */
export const recipientOf = (
  userId: string,
): Promise<{ email: string; name: string; locale: string | null } | null> =>
  db.user.findUnique({ where: { id: userId }, select: { email: true, name: true, locale: true } });
