import { env } from "#lib/env.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";

/** Prisma's conditions for people and roles; `team-sql.ts` and `verified-sql.ts` have the same for statements in SQL. */

/** The person isn't disabled, and their address is verified where this installation verifies addresses. */
export const isActivePerson = (): Prisma.UserWhereInput => ({
  disabledAt: null,
  ...(env().verifiesEmail && { emailVerifiedAt: { not: null } }),
});

const hasSecondFactor: Prisma.UserWhereInput = { secondFactor: { confirmedAt: { not: null } } };

/** The holder of a role in an event has accepted it and can use it (contract 2.6). */
export const isUsableEventRole = (): Prisma.EventRoleWhereInput => ({
  pending: false,
  user: isActivePerson(),
  OR: [{ event: { organization: { requireSecondFactor: false } } }, { user: hasSecondFactor }],
});

/** The member of an organization has accepted the role and can use it (contract 2.6). */
export const isUsableMembership = (): Prisma.OrganizationMemberWhereInput => ({
  pending: false,
  user: isActivePerson(),
  OR: [{ organization: { requireSecondFactor: false } }, { user: hasSecondFactor }],
});
