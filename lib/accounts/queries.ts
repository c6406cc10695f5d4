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
import { prisma, sql } from "#lib/database/client.ts";
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
  const heldEventsSql = Prisma.sql`from (
      select event_id, json_agg(role_name order by role_name) as roles, min(created_at) as joined
      from event_roles where user_id = ${actor.id}::uuid group by event_id
    ) r join events e on e.id = r.event_id join organizations o on o.id = e.organization_id where ${searchFilter}`;
  const [rows, [counted]] = await Promise.all([
    sql.$queryRaw<Omit<OwnEventRecord, "needsSecondFactor">[]>`
      select e.id, e.name, e.slug, json_build_object('id', o.id, 'name', o.name, 'slug', o.slug) as organization,
        e.start_date as "startDate", e.end_date as "endDate", e.is_active as "isActive", r.roles, r.joined as "joinDate"
      ${heldEventsSql} order by e.name collate title_order, e.id limit ${limit}::bigint offset ${(page - 1) * limit}::bigint`,
    sql.$queryRaw<{ total: number }[]>`select count(*)::int as total ${heldEventsSql}`,
  ]);
  const waiting = new Set(
    actor.withheld?.events.flatMap(({ eventId, reason }) => (reason === "secondFactor" ? eventId : [])),
  );
  const events = rows.map((row) => ({ ...row, needsSecondFactor: waiting.has(row.id) }));
  return { events, total: counted?.total ?? 0 };
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
