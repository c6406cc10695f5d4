import { env } from "#lib/env.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";

/** Whether the address of user `u` is verified; true where this installation verifies no addresses. */
export const isEmailVerifiedIfRequiredSql = (): Prisma.Sql =>
  env().verifiesEmail ? Prisma.sql`u.email_verified_at is not null` : Prisma.sql`true`;
