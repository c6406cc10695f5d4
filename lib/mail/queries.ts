import { db } from "#lib/db.ts";

/** Address and name of a user, or null when the account is gone. */
export const recipientOf = (userId: string): Promise<{ email: string; name: string } | null> =>
  db.user.findUnique({ where: { id: userId }, select: { email: true, name: true } });
