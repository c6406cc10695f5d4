import { LRUCache } from "lru-cache";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import { sql } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import {
  leaveOutInvitations,
  separateWithheld,
  withholdUntilVerified,
  type HeldRoles,
} from "#lib/accounts/held-roles.ts";
import { getSessionIdleLimitSeconds, recordSessionOrTokenLastUse } from "#lib/accounts/last-use.ts";
import { hashToken } from "#lib/accounts/sessions.ts";
import { buildAvatarUrl } from "#lib/accounts/schema.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { compareEventRoles } from "#lib/operation/event-roles.ts";
import type {
  Actor,
  EventRole,
  UnacceptedRoleFlag,
  OrganizationRole,
  WithheldRoleReason,
} from "#lib/operation/policy.ts";
import type { Locale } from "#lib/i18n/locales.ts";
import type { TokenScope } from "#lib/operation/token-scope.ts";

type ActorRow = {
  sessionId: string;
  lastUsedAt: Date;
  id: string;
  email: string;
  name: string;
  avatarKey: string | null;
  locale: Locale | null;
  timeZone: string | null;
  singleKeys: boolean;
  systemAdmin: boolean;
  emailVerified: boolean;
  /** As built by `CLOSED_ORGANIZATIONS_SQL`. */
  closed: { organizations: string[]; openEvents: string[] } | null;
  /** One line per role, as built by `PERSON_SQL`; null without roles. */
  organizations: string | null;
  events: string | null;
  /** One line for each, as built by `OUTSIDE_INCIDENTS_SQL`; null if there are none. */
  outsideIncidents: string | null;
};
/** Milliseconds until the session or token expires if it isn't used. */
type Lifetime = { lastsMs: number };
type TokenRow = ActorRow & {
  scope: TokenScope;
  tokenEventId: string | null;
  tokenOrganizationId: string | null;
};

/**
 * Finds the actor of a session in one query: session, user and every role, read live (contract 2.2, 4.3). Returns
 * null when the session is over (idle or absolute limit, signed out) or the account is disabled.
 * @param eventRef limits the event roles to this event: loading fifty roles takes longer than loading a report list
 */
export async function findSessionActor(token: string, eventRef?: EventPathParams): Promise<Actor | null> {
  const idle = getSessionIdleLimitSeconds();
  const [row] = await sql.$queryRaw<ActorRow[]>`
    select s.id as "sessionId", s.last_used_at as "lastUsedAt", ${personSqlForEvent(eventRef)}
    from sessions s join users u on u.id = s.user_id
    where s.token_hash = ${hashToken(token)} and s.expires_at > now()
      and s.last_used_at > now() - make_interval(secs => ${idle}::int) and u.disabled_at is null`;
  if (!row) return null;
  recordSessionOrTokenLastUse("sessions", row.sessionId, row.lastUsedAt);
  return toActor(row);
}

/**
 * Like `findSessionActor`, for the holder of an API token; returns null also when the token has expired. A token for
 * one event carries only its owner's roles in that event; a SystemAdmin without a role in it may still access that
 * event, and nothing else. One for an organization carries only the roles in it and its events.
 */
export async function findApiTokenActor(token: string): Promise<Actor | null> {
  const [row] = await sql.$queryRaw<TokenRow[]>`
    select ${TOKEN_SQL}, ${PERSON_SQL} from api_tokens t join users u on u.id = t.user_id
    where t.token_hash = ${hashToken(token)} and t.expires_at > now() and u.disabled_at is null`;
  if (!row) return null;
  recordSessionOrTokenLastUse("api_tokens", row.sessionId, row.lastUsedAt);
  return toTokenActor(row);
}

type ActorWithLifetime = Lifetime & { actor: Actor };

/**
 * Loads the same person with their current roles, for work that outlives its request, and how long the session or
 * token lasts if it isn't used. Doesn't count as a use. Returns null when the session or token is over or the
 * account is disabled, and for every service token, since none may follow live updates.
 */
export async function reloadActorWithLifetime({
  id,
  sessionId,
  token,
}: Actor): Promise<ActorWithLifetime | null> {
  if (token?.service) return null;
  if (token) return refreshTokenActor(sessionId);
  const idle = getSessionIdleLimitSeconds();
  const [row] = await sql.$queryRaw<(ActorRow & Lifetime)[]>`
    select s.id as "sessionId", s.last_used_at as "lastUsedAt", ${PERSON_SQL},
      ${msUntilSql(Prisma.sql`least(s.expires_at, s.last_used_at + make_interval(secs => ${idle}::int))`)} as "lastsMs"
    from sessions s join users u on u.id = s.user_id
    where s.id = ${sessionId}::uuid and u.id = ${id}::uuid and s.expires_at > now()
      and s.last_used_at > now() - make_interval(secs => ${idle}::int) and u.disabled_at is null`;
  return row ? { actor: toActor(row), lastsMs: row.lastsMs } : null;
}

async function refreshTokenActor(tokenId: string): Promise<ActorWithLifetime | null> {
  const [row] = await sql.$queryRaw<(TokenRow & Lifetime)[]>`
    select ${TOKEN_SQL}, ${PERSON_SQL}, ${msUntilSql(Prisma.sql`t.expires_at`)} as "lastsMs"
    from api_tokens t join users u on u.id = t.user_id
    where t.id = ${tokenId}::uuid and t.expires_at > now() and u.disabled_at is null`;
  return row ? { actor: toTokenActor(row), lastsMs: row.lastsMs } : null;
}

const msUntilSql = (moment: Prisma.Sql) =>
  Prisma.sql`(extract(epoch from ${moment} - clock_timestamp()) * 1000)::float8`;

/**
 * Loads a person with their current roles, signed in or not, for jobs. Returns null when the account doesn't exist
 * or is disabled.
 */
export async function findActorById(userId: string): Promise<Actor | null> {
  const [row] = await sql.$queryRaw<ActorRow[]>`
    select '' as "sessionId", now() as "lastUsedAt", ${PERSON_SQL}
    from users u where u.id = ${userId}::uuid and u.disabled_at is null`;
  return row ? toActor(row) : null;
}

/** Columns of a token `t`. A token that was never used counts as used long ago. */
const TOKEN_SQL = Prisma.sql`t.id as "sessionId", coalesce(t.last_used_at, to_timestamp(0)) as "lastUsedAt",
      t.scope::text as scope, t.event_id as "tokenEventId", t.organization_id as "tokenOrganizationId"`;

/**
 * Why the role of user `u` in organization `o` is withheld, or "-". Looks up the second factor only where the
 * organization requires one.
 */
const WITHHELD_REASON_SQL = Prisma.sql`(case when o.require_second_factor and not exists (
        select 1 from second_factors f where f.user_id = u.id and f.confirmed_at is not null) then 'secondFactor' else '-' end)`;

/**
 * For a user `u` who is SystemAdmin without a second factor: the organizations that require one, and the events of
 * all other organizations. Null for everyone else, and where no organization requires one.
 */
const CLOSED_ORGANIZATIONS_SQL = Prisma.sql`case when u.system_admin
        and not exists (select 1 from second_factors f where f.user_id = u.id and f.confirmed_at is not null)
        and exists (select 1 from organizations where require_second_factor) then json_build_object(
        'organizations', (select json_agg(id) from organizations where require_second_factor),
        'openEvents', (select coalesce(json_agg(e.id), '[]') from events e join organizations o on o.id = e.organization_id
          where not o.require_second_factor)) end`;

/** The incidents that were passed on to a user `u` outside the team, and their events. */
const OUTSIDE_INCIDENTS_SQL = Prisma.sql`(select string_agg(concat_ws(' ', f.incident_id, i.event_id, e.organization_id, coalesce(e.time_zone, '-'), e.slug), E'\n')
        from incident_readers f join incidents i on i.id = f.incident_id join events e on e.id = i.event_id
        where f.user_id = u.id and f.source = 'outside' and f.access >= 'ask')`;

/** 'invited' while the person hasn't accepted the role of table row `m` or `r`, else '-'. */
const invitedSql = (table: "m" | "r") => Prisma.raw(`case when ${table}.pending then 'invited' else '-' end`);

/**
 * Columns of a user `u`. Each role is a line of words that ends with the slug: building JSON for fifty roles took the
 * database as long as finding them. Sorting, too, happens in this process, where it costs less.
 */
const personSql = (
  eventCondition: Prisma.Sql,
) => Prisma.sql`u.id, u.email, u.name, u.avatar_key as "avatarKey", u.locale, u.time_zone as "timeZone", u.single_keys as "singleKeys", u.system_admin as "systemAdmin",
      u.email_verified_at is not null as "emailVerified", ${CLOSED_ORGANIZATIONS_SQL} as closed,
      ${OUTSIDE_INCIDENTS_SQL} as "outsideIncidents",
      (select string_agg(concat_ws(' ', m.organization_id, m.role, ${WITHHELD_REASON_SQL}, ${invitedSql("m")}, o.slug), E'\n')
        from organization_members m join organizations o on o.id = m.organization_id
        where m.user_id = u.id) as organizations,
      (select string_agg(concat_ws(' ', r.event_id, e.organization_id, r.role_name, ${WITHHELD_REASON_SQL}, ${invitedSql("r")}, coalesce(e.time_zone, '-'), e.slug), E'\n')
        from event_roles r join events e on e.id = r.event_id join organizations o on o.id = e.organization_id
        where r.user_id = u.id ${eventCondition}) as events`;

const PERSON_SQL = personSql(Prisma.empty);

/** An event as a path names it, by id or slug. */
export type EventPathParams = { eventId?: string | undefined; slug?: string | undefined };

/** A reference that can't be an event's id or slug filters nothing: the operation reports what is wrong with it. */
function personSqlForEvent({ eventId, slug }: EventPathParams = {}): Prisma.Sql {
  if (eventId !== undefined)
    return UUID_PATTERN.test(eventId.toLowerCase())
      ? personSql(Prisma.sql`and r.event_id = ${eventId}::uuid`)
      : PERSON_SQL;
  return slug !== undefined && !slug.includes("\0")
    ? personSql(Prisma.sql`and e.slug = ${slug}`)
    : PERSON_SQL;
}

const toActor = (row: ActorRow): Actor => buildActor(row, readHeldRoles(row));

/** Builds an actor. Roles that don't count yet go to `withheld`: in their events, the actor is a Reporter at most. */
function buildActor(row: ActorRow, all: HeldRoles): Actor {
  const unverified = env().verifiesEmail && !row.emailVerified;
  const heldRoles = unverified ? withholdUntilVerified(all) : all;
  const actor = {
    id: row.id,
    email: row.email,
    name: row.name,
    avatarUrl: buildAvatarUrl(row.id, row.avatarKey),
    locale: row.locale,
    timeZone: row.timeZone,
    singleKeys: row.singleKeys,
    sessionId: row.sessionId,
    systemAdmin: row.systemAdmin && !unverified,
    ...(row.systemAdmin && !unverified && row.closed ? { closed: toClosedSets(row.closed) } : {}),
    ...heldRoles,
  };
  if (unverified) return separateWithheld({ ...actor, unverified }, heldRoles, row.systemAdmin);
  const withheld = [...heldRoles.organizations, ...heldRoles.events].some(({ reason }) => reason !== null);
  return addOutsideIncidents(withheld ? separateWithheld(actor, heldRoles) : actor, row.outsideIncidents);
}

/** Adds the incidents that the actor reads as outside person, in the organizations in which their membership counts. */
function addOutsideIncidents(actor: Actor, lines: string | null): Actor {
  if (lines === null) return actor;
  const members = new Set(actor.organizations.map(({ organizationId }) => organizationId));
  const outsideIncidents = splitLines<[string, string, string, string, string]>(lines)
    .map(([incidentId, eventId, organizationId, timeZone, slug]) => ({
      incidentId,
      eventId,
      organizationId,
      timeZone: timeZone === "-" ? null : timeZone,
      slug,
    }))
    .filter(({ organizationId }) => members.has(organizationId));
  return { ...actor, outsideIncidents };
}

const toClosedSets = ({
  organizations,
  openEvents,
}: NonNullable<ActorRow["closed"]>): NonNullable<Actor["closed"]> => ({
  organizations: new Set(organizations),
  openEvents: new Set(openEvents),
});

/**
 * Caches parsed role lines. They are read from the database for each request and are mostly the same as last time;
 * parsing fifty and ranking each by the policy costs more than the rest of a request.
 */
const parsedRolesCache = new LRUCache<string, HeldRoles>({ max: 500 });

/**
 * Parses role lines, sorted by slug, with the roles in one event from the weakest to the strongest. The result is
 * frozen because requests share it.
 */
function readHeldRoles({ organizations, events }: Pick<ActorRow, "organizations" | "events">): HeldRoles {
  if (!events?.includes("\n")) return parseHeldRoles(organizations, events);
  const lines = `${organizations ?? ""}\n\n${events}`;
  const cached = parsedRolesCache.get(lines);
  if (cached) return cached;
  const heldRoles = parseHeldRoles(organizations, events);
  parsedRolesCache.set(lines, heldRoles);
  return heldRoles;
}

const parseHeldRoles = (organizations: string | null, events: string | null): HeldRoles =>
  deepFreeze({
    organizations: splitLines(organizations).map(parseOrganization).sort(compareBySlug),
    events: parseEvents(splitLines<EventRoleLine>(events)).sort(compareBySlug),
  });

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === "object" && part) deepFreeze(part);
  return Object.freeze(value);
}

type RoleLine = [string, string, string, string, string, string];
type EventRoleLine = [...RoleLine, string];

const parseOrganization = ([
  organizationId,
  role,
  reason,
  invited,
  slug,
]: RoleLine): HeldRoles["organizations"][number] => ({
  organizationId,
  slug,
  role: role as OrganizationRole,
  reason: parseReason(reason),
  ...parseInvited(invited),
});

const parseReason = (text: string): WithheldRoleReason | null =>
  text === "-" ? null : (text as WithheldRoleReason);

const parseInvited = (text: string): UnacceptedRoleFlag => (text === "invited" ? { invited: true } : {});

function parseEvents(lines: EventRoleLine[]): HeldRoles["events"] {
  const heldRoles = new Map<string, HeldRoles["events"][number]>();
  for (const [eventId, organizationId, name, reason, invited, timeZone, slug] of lines) {
    const role = name as EventRole;
    const existing = heldRoles.get(eventId);
    if (existing) existing.roles.push(role);
    else
      heldRoles.set(eventId, {
        eventId,
        slug,
        organizationId,
        timeZone: timeZone === "-" ? null : timeZone,
        roles: [role],
        reason: parseReason(reason),
        ...parseInvited(invited),
      });
  }
  for (const { roles } of heldRoles.values()) roles.sort(compareEventRoles);
  return [...heldRoles.values()];
}

const splitLines = <Line extends string[] = RoleLine>(text: string | null): Line[] =>
  text?.split("\n").map((line) => line.split(" ") as Line) ?? [];
const compareBySlug = (a: { slug: string }, b: { slug: string }) =>
  a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : 0;

/**
 * Reports that somebody reads as outside person are for them alone, not for programs. Roles that they haven't accepted
 * don't count: a program that runs by itself would accept them unasked (contract 2.7).
 */
function toTokenActor({ scope, tokenEventId, tokenOrganizationId, ...owner }: TokenRow): Actor {
  const row = { ...owner, outsideIncidents: null };
  const token = { scope, eventId: tokenEventId, organizationId: tokenOrganizationId };
  if (tokenOrganizationId) return { ...limitToOrganization(row, tokenOrganizationId), token };
  const heldRoles = leaveOutInvitations(readHeldRoles(row));
  if (!tokenEventId) return { ...buildActor(row, heldRoles), token };
  const events = heldRoles.events.filter(({ eventId }) => eventId === tokenEventId);
  const actor = buildActor({ ...row, systemAdmin: false }, { events, organizations: [] });
  if (!row.systemAdmin || actor.unverified || actor.events.length > 0) return { ...actor, token };
  if (row.closed && !row.closed.openEvents.includes(tokenEventId))
    return {
      ...actor,
      token,
      withheld: { organizations: [], events: [], ...actor.withheld, system: "secondFactor" },
    };
  return { ...actor, token: { ...token, system: true } };
}

/** Leaves the roles in one organization and its events; the system role doesn't count. */
function limitToOrganization(row: ActorRow, organizationId: string): Actor {
  const heldRoles = leaveOutInvitations(readHeldRoles(row));
  const isInside = (role: { organizationId: string }) => role.organizationId === organizationId;
  return buildActor(
    { ...row, systemAdmin: false },
    { organizations: heldRoles.organizations.filter(isInside), events: heldRoles.events.filter(isInside) },
  );
}
