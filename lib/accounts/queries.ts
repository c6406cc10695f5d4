import { compareNames } from "#lib/design/name-order.ts";
import { describeDevice } from "#lib/accounts/devices.ts";
import { isEmailVerifiedIfRequired } from "#lib/accounts/email-verification.ts";
import {
  USER_COLUMNS,
  toUser,
  type ApiTokenRecord,
  type OwnAccountRecord,
  type OwnEventRecord,
  type OwnEventsQuery,
  type OwnSessionRecord,
  type OwnSessionsAndTokensQuery,
} from "#lib/accounts/schema.ts";
import { containsSearchTextSql } from "#lib/database/search-sql.ts";
import { computePageOffset } from "#lib/operation/fields.ts";
import { prisma } from "#lib/database/client.ts";
import { findPageOfIds, sortByIds } from "#lib/database/page-queries.ts";
import { env } from "#lib/env.ts";
import { createUnauthenticatedError } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { isLocale } from "#lib/i18n/locales.ts";

/** Loads the current user's account for its page. */
export async function loadOwnAccount(userId: string): Promise<OwnAccountRecord> {
  const [user, organizations] = await Promise.all([
    prisma.user.findUnique({
      where: { id: userId },
      select: {
        ...USER_COLUMNS,
        createdAt: true,
        emailVerifiedAt: true,
        locale: true,
        timeZone: true,
        singleKeys: true,
        secondFactor: { select: { confirmedAt: true } },
        recoveryCodes: { select: { userId: true }, where: { usedAt: null } },
        emailChange: { select: { newEmail: true, expiresAt: true } },
      },
    }),
    listRequiringOrganizations(userId),
  ]);
  if (!user) throw createUnauthenticatedError();
  const since = user.secondFactor?.confirmedAt ?? null;
  const waiting = user.emailChange && user.emailChange.expiresAt > new Date() ? user.emailChange : null;
  return {
    user: toUser(user),
    emailVerified: isEmailVerifiedIfRequired(user),
    locale: isLocale(user.locale) ? user.locale : null,
    timeZone: user.timeZone,
    singleKeys: user.singleKeys,
    secondFactor: {
      enabled: since !== null,
      since,
      recoveryCodesLeft: user.recoveryCodes.length,
      requiredBy: organizations,
    },
    emailChange: waiting,
    createdAt: user.createdAt,
  };
}

/** Finds the organizations that require a second factor of this person, as a member or on the team of an event. */
const listRequiringOrganizations = async (userId: string) => {
  const organizations = await prisma.organization.findMany({
    where: {
      requireSecondFactor: true,
      OR: [
        { members: { some: { userId, pending: false } } },
        { events: { some: { roles: { some: { userId, pending: false, roleName: { not: "Reporter" } } } } } },
      ],
    },
    orderBy: { id: "asc" },
    select: { id: true, name: true, slug: true },
  });
  return organizations.toSorted(compareNames);
};

/**
 * Lists the events that the current user holds a role in, by name, including events whose roles need a second factor.
 */
export async function listOwnEvents(
  actor: Actor,
  { search, page, limit }: OwnEventsQuery,
): Promise<{ events: OwnEventRecord[]; total: number }> {
  const searchFilter = search
    ? containsSearchTextSql([Prisma.sql`e.name`, Prisma.sql`o.name`], search)
    : Prisma.sql`true`;
  const matching = Prisma.sql`
    select e.id, e.name from events e join organizations o on o.id = e.organization_id
    where e.id in (select r.event_id from event_roles r where r.user_id = ${actor.id}::uuid) and ${searchFilter}`;
  const order = Prisma.sql`name collate title_order, id`;
  const { ids, total } = await findPageOfIds(matching, order, { page, limit });
  const place = { id: true, name: true, slug: true } as const;
  const rows = await prisma.event.findMany({
    where: { id: { in: ids } },
    select: {
      ...place,
      organization: { select: place },
      startDate: true,
      endDate: true,
      isActive: true,
      roles: {
        where: { userId: actor.id },
        orderBy: { roleName: "asc" },
        select: { roleName: true, createdAt: true },
      },
    },
  });
  const isWaiting = (id: string) =>
    actor.withheld?.events.some(({ eventId, reason }) => eventId === id && reason === "secondFactor");
  // A role may have gone since its event was found.
  const held = sortByIds(ids, rows).filter(({ roles }) => roles.length > 0);
  const events = held.map((row) => ({
    ...row,
    roles: row.roles.map(({ roleName }) => roleName),
    joinDate: new Date(Math.min(...row.roles.map(({ createdAt }) => createdAt.getTime()))),
    needsSecondFactor: isWaiting(row.id) ?? false,
  }));
  return { events, total };
}

/** Lists the current user's active sessions, last used first. */
export async function listOwnSessions(
  actor: Actor,
  { page, limit }: OwnSessionsAndTokensQuery,
): Promise<{ sessions: OwnSessionRecord[]; total: number }> {
  const where = {
    userId: actor.id,
    expiresAt: { gt: new Date() },
    lastUsedAt: { gt: new Date(Date.now() - env().SESSION_IDLE_SECONDS * 1000) },
  };
  const [rows, total] = await Promise.all([
    prisma.session.findMany({
      where,
      orderBy: [{ lastUsedAt: "desc" }, { id: "asc" }],
      skip: computePageOffset(page, limit),
      take: limit,
      select: { id: true, userAgent: true, createdAt: true, lastUsedAt: true, expiresAt: true },
    }),
    prisma.session.count({ where }),
  ]);
  const sessions = rows.map(({ userAgent, ...row }) => ({
    ...row,
    device: describeDevice(userAgent),
    current: row.id === actor.sessionId,
  }));
  return { sessions, total };
}

const TOKEN_COLUMNS = {
  id: true,
  name: true,
  scope: true,
  event: { select: { id: true, name: true, slug: true } },
  organization: { select: { id: true, name: true, slug: true } },
  expiresAt: true,
  lastUsedAt: true,
  createdAt: true,
} as const;

/** Lists the user's API tokens, newest first, including expired ones. */
export async function listApiTokens(
  userId: string,
  { page, limit }: OwnSessionsAndTokensQuery,
): Promise<{ tokens: ApiTokenRecord[]; total: number }> {
  const where = { userId };
  const [tokens, total] = await Promise.all([
    prisma.apiToken.findMany({
      where,
      orderBy: [{ createdAt: "desc" }, { id: "desc" }],
      skip: computePageOffset(page, limit),
      take: limit,
      select: TOKEN_COLUMNS,
    }),
    prisma.apiToken.count({ where }),
  ]);
  return { tokens, total };
}

export const loadApiToken = (id: string): Promise<ApiTokenRecord> =>
  prisma.apiToken.findUniqueOrThrow({ where: { id }, select: TOKEN_COLUMNS });
