import { UUID } from "#lib/operation/fields.ts";
import { db } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { idleSeconds, noteUse } from "#lib/accounts/last-use.ts";
import { hashToken } from "#lib/accounts/sessions.ts";
import { avatarUrl } from "#lib/accounts/schema.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import {
  byRank,
  type Actor,
  type EventRole,
  type Invitable,
  type OrganizationRole,
  type WithheldReason,
} from "#lib/operation/policy.ts";
import type { Locale } from "#lib/i18n/locales.ts";

type Row = {
  sessionId: string;
  lastUsedAt: Date;
  id: string;
  email: string;
  name: string;
  avatarKey: string | null;
  locale: Locale | null;
  singleKeys: boolean;
  systemAdmin: boolean;
  emailVerified: boolean;
  /** As CLOSED writes it. */
  closed: { organizations: string[]; openEvents: string[] } | null;
  /** A line for each role, as PERSON writes it; null without any. */
  organizations: string | null;
  events: string | null;
};
type Held = {
  organizations: Withholdable<Actor["organizations"][number]>[];
  events: Withholdable<Actor["events"][number]>[];
};
/** `reason`: why what makes the person one of the team there doesn't count yet. */
type Withholdable<Role> = Role & { reason: WithheldReason | null };
/** For how long it goes on by itself, in milliseconds. */
type Lasting = { lastsMs: number };
type TokenRow = Row & { scope: "read" | "write"; tokenEventId: string | null };

/**
 * The one query that finds who asks: session, user and every role, read live (contract 2.2, 4.3). Null when
 * the session is over (idle or absolute limit, signed out) or the account is disabled.
 * @param within of the events, only the roles in this one: fifty take the database longer than a list of reports
 */
export async function findActor(token: string, within?: OneEvent): Promise<Actor | null> {
  const idle = idleSeconds();
  const [row] = await db.$queryRaw<Row[]>`
    select s.id as "sessionId", s.last_used_at as "lastUsedAt", ${personWithin(within)}
    from sessions s join users u on u.id = s.user_id
    where s.token_hash = ${hashToken(token)} and s.expires_at > now()
      and s.last_used_at > now() - make_interval(secs => ${idle}::int) and u.disabled_at is null`;
  if (!row) return null;
  noteUse("sessions", row.sessionId, row.lastUsedAt);
  return actorOf(row);
}

/**
 * As `findActor`, for the holder of an API token; null also when the token has run out. A token for one event
 * leaves its person the roles of that event and nothing else; a SystemAdmin without one passes there, and only there.
 */
export async function findTokenActor(token: string): Promise<Actor | null> {
  const [row] = await db.$queryRaw<TokenRow[]>`
    select ${TOKEN}, ${PERSON} from api_tokens t join users u on u.id = t.user_id
    where t.token_hash = ${hashToken(token)} and t.expires_at > now() and u.disabled_at is null`;
  if (!row) return null;
  noteUse("api_tokens", row.sessionId, row.lastUsedAt);
  return tokenActorOf(row);
}

export type Look = Lasting & { actor: Actor };

/**
 * The same person with the roles of this moment, for what goes on after its request, and for how long the session or
 * token lasts if it isn't used; this is no use of it. Null when it is over or the account is disabled.
 */
export async function lookAgain({ id, sessionId, token }: Actor): Promise<Look | null> {
  if (token) return lookAgainAtToken(sessionId);
  const idle = idleSeconds();
  const [row] = await db.$queryRaw<(Row & Lasting)[]>`
    select s.id as "sessionId", s.last_used_at as "lastUsedAt", ${PERSON},
      ${msUntil(Prisma.sql`least(s.expires_at, s.last_used_at + make_interval(secs => ${idle}::int))`)} as "lastsMs"
    from sessions s join users u on u.id = s.user_id
    where s.id = ${sessionId}::uuid and u.id = ${id}::uuid and s.expires_at > now()
      and s.last_used_at > now() - make_interval(secs => ${idle}::int) and u.disabled_at is null`;
  return row ? { actor: actorOf(row), lastsMs: row.lastsMs } : null;
}

async function lookAgainAtToken(tokenId: string): Promise<Look | null> {
  const [row] = await db.$queryRaw<(TokenRow & Lasting)[]>`
    select ${TOKEN}, ${PERSON}, ${msUntil(Prisma.sql`t.expires_at`)} as "lastsMs"
    from api_tokens t join users u on u.id = t.user_id
    where t.id = ${tokenId}::uuid and t.expires_at > now() and u.disabled_at is null`;
  return row ? { actor: tokenActorOf(row), lastsMs: row.lastsMs } : null;
}

const msUntil = (moment: Prisma.Sql) =>
  Prisma.sql`(extract(epoch from ${moment} - clock_timestamp()) * 1000)::float8`;

/** A person with the roles of this moment, whether signed in or not, for jobs. Null when there is no such account, or it is disabled. */
export async function actorNamed(userId: string): Promise<Actor | null> {
  const [row] = await db.$queryRaw<Row[]>`
    select '' as "sessionId", now() as "lastUsedAt", ${PERSON}
    from users u where u.id = ${userId}::uuid and u.disabled_at is null`;
  return row ? actorOf(row) : null;
}

/** Of a token `t`. One that was never used counts as used long ago. */
const TOKEN = Prisma.sql`t.id as "sessionId", coalesce(t.last_used_at, to_timestamp(0)) as "lastUsedAt",
      t.scope::text as scope, t.event_id as "tokenEventId"`;

/**
 * Of a user `u` and an organization `o`: why their role is withheld, or "-". Who has the factor is looked up only where
 * it is required.
 */
const REASON = Prisma.sql`(case when o.require_second_factor and not exists (
        select 1 from second_factors f where f.user_id = u.id and f.confirmed_at is not null) then 'secondFactor' else '-' end)`;

/**
 * Of a user `u` who is SystemAdmin and has no second factor: the organizations that require one, and the events of all
 * others. Null for everybody else, and where no organization requires one.
 */
const CLOSED = Prisma.sql`case when u.system_admin
        and not exists (select 1 from second_factors f where f.user_id = u.id and f.confirmed_at is not null)
        and exists (select 1 from organizations where require_second_factor) then json_build_object(
        'organizations', (select json_agg(id) from organizations where require_second_factor),
        'openEvents', (select coalesce(json_agg(e.id), '[]') from events e join organizations o on o.id = e.organization_id
          where not o.require_second_factor)) end`;

/** Of a role in a table: whether the person has accepted it. */
const invitedOf = (table: "m" | "r") => Prisma.raw(`case when ${table}.pending then 'invited' else '-' end`);

/**
 * Of a user `u`. Roles are lines of words with the slug at the end: making JSON of fifty took the database as long as
 * finding them. The order is made here, too, where it costs less.
 */
const personWith = (
  inEvent: Prisma.Sql,
) => Prisma.sql`u.id, u.email, u.name, u.avatar_key as "avatarKey", u.locale, u.single_keys as "singleKeys", u.system_admin as "systemAdmin",
      u.email_verified_at is not null as "emailVerified", ${CLOSED} as closed,
      (select string_agg(concat_ws(' ', m.organization_id, m.role, ${REASON}, ${invitedOf("m")}, o.slug), E'\n')
        from organization_members m join organizations o on o.id = m.organization_id
        where m.user_id = u.id) as organizations,
      (select string_agg(concat_ws(' ', r.event_id, e.organization_id, r.role_name, ${REASON}, ${invitedOf("r")}, e.slug), E'\n')
        from event_roles r join events e on e.id = r.event_id join organizations o on o.id = e.organization_id
        where r.user_id = u.id ${inEvent}) as events`;

const PERSON = personWith(Prisma.empty);

/** An event as a path names it. */
export type OneEvent = { eventId?: string | undefined; slug?: string | undefined };

/** What can be no name of an event narrows nothing: the operation says what is wrong with it. */
function personWithin({ eventId, slug }: OneEvent = {}): Prisma.Sql {
  if (eventId !== undefined)
    return UUID.test(eventId.toLowerCase())
      ? personWith(Prisma.sql`and r.event_id = ${eventId}::uuid`)
      : PERSON;
  return slug !== undefined && !slug.includes("\0") ? personWith(Prisma.sql`and e.slug = ${slug}`) : PERSON;
}

const actorOf = (row: Row): Actor => actorWith(row, heldIn(row));

/** Where roles are withheld, that of Reporter is all that counts. */
function actorWith(row: Row, all: Held): Actor {
  const unverified = env().verifiesEmail && !row.emailVerified;
  const held = unverified ? withheldUntilVerified(all) : all;
  const actor = {
    id: row.id,
    email: row.email,
    name: row.name,
    avatarUrl: avatarUrl(row.id, row.avatarKey),
    locale: row.locale,
    singleKeys: row.singleKeys,
    sessionId: row.sessionId,
    systemAdmin: row.systemAdmin && !unverified,
    ...(row.systemAdmin && !unverified && row.closed ? { closed: setsOf(row.closed) } : {}),
    ...held,
  };
  if (unverified) return withoutWithheld({ ...actor, unverified }, held, row.systemAdmin);
  const withheld = [...held.organizations, ...held.events].some(({ reason }) => reason !== null);
  return withheld ? withoutWithheld(actor, held) : actor;
}

const setsOf = ({ organizations, openEvents }: NonNullable<Row["closed"]>): NonNullable<Actor["closed"]> => ({
  organizations: new Set(organizations),
  openEvents: new Set(openEvents),
});

/** The first of two reasons is what the person can do something about first. */
const withheldUntilVerified = ({ organizations, events }: Held): Held => ({
  organizations: organizations.map((held) => ({ ...held, reason: "unverified" })),
  events: events.map((held) => ({ ...held, reason: "unverified" })),
});

/**
 * What lines of roles mean. They are read from the database for each request, and mostly they are the same as last time:
 * to take fifty apart and look at each by the policy costs more than the rest of a request.
 */
const understood = new Map<string, Held>();
const MOST_UNDERSTOOD = 500;

/** By slug; the roles in one event from the weakest to the strongest. Shared between requests, so nobody may change it. */
function heldIn({ organizations, events }: Pick<Row, "organizations" | "events">): Held {
  if (!events?.includes("\n")) return understand(organizations, events);
  const lines = `${organizations ?? ""}\n\n${events}`;
  const held = understood.get(lines) ?? understand(organizations, events);
  // The last one used is the last.
  understood.delete(lines);
  understood.set(lines, held);
  for (const oldest of understood.keys()) {
    if (understood.size <= MOST_UNDERSTOOD) break;
    understood.delete(oldest);
  }
  return held;
}

const understand = (organizations: string | null, events: string | null): Held =>
  deepFrozen({
    organizations: linesOf(organizations).map(organizationIn).sort(bySlug),
    events: eventsIn(linesOf(events)).sort(bySlug),
  });

function deepFrozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === "object" && part) deepFrozen(part);
  return Object.freeze(value);
}

type Line = [string, string, string, string, string, string];

const organizationIn = ([
  organizationId,
  role,
  reason,
  invited,
  slug,
]: Line): Held["organizations"][number] => ({
  organizationId,
  slug,
  role: role as OrganizationRole,
  reason: reasonIn(reason),
  ...invitedIn(invited),
});

const reasonIn = (text: string): WithheldReason | null => (text === "-" ? null : (text as WithheldReason));

const invitedIn = (text: string): Invitable => (text === "invited" ? { invited: true } : {});

function eventsIn(lines: Line[]): Held["events"] {
  const held = new Map<string, Held["events"][number]>();
  for (const [eventId, organizationId, name, reason, invited, slug] of lines) {
    const role = name as EventRole;
    const known = held.get(eventId);
    if (known) known.roles.push(role);
    else
      held.set(eventId, {
        eventId,
        slug,
        organizationId,
        roles: [role],
        reason: reasonIn(reason),
        ...invitedIn(invited),
      });
  }
  for (const { roles } of held.values()) roles.sort(byRank);
  return [...held.values()];
}

const linesOf = (text: string | null): Line[] =>
  text?.split("\n").map((line) => line.split(" ") as Line) ?? [];
const bySlug = (a: { slug: string }, b: { slug: string }) => (a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : 0);

/** @param unverifiedSystem the system role is held, and waits for the confirmation of the address */
function withoutWithheld(actor: Actor, { organizations, events }: Held, unverifiedSystem = false): Actor {
  const counting = events.map(({ reason, ...event }) => (reason ? asReporter(event, reason) : event));
  const waiting = events.flatMap(({ reason, ...event }) =>
    reason ? { ...event, reason, roles: event.roles.filter((role) => role !== "Reporter") } : [],
  );
  return {
    ...actor,
    organizations: organizations.filter(({ reason }) => reason === null),
    events: counting.filter(({ roles }) => roles.length > 0),
    withheld: {
      ...(unverifiedSystem ? { system: "unverified" as const } : {}),
      organizations: organizations.flatMap(({ reason, ...held }) => (reason ? { ...held, reason } : [])),
      events: waiting.filter(({ roles }) => roles.length > 0),
    },
  };
}

/**
 * What counts of roles that are withheld: to report. Until the address is confirmed that comes with any role, so that
 * somebody who was on the way to the team can still report, and follow what they reported (docs/decisions/032).
 */
function asReporter(event: Actor["events"][number], reason: WithheldReason): Actor["events"][number] {
  const roles = event.roles.filter((role) => role === "Reporter");
  if (roles.length > 0 || reason !== "unverified" || event.invited) return { ...event, roles };
  return { ...event, roles: ["Reporter"], provisional: true };
}

function tokenActorOf({ scope, tokenEventId, ...row }: TokenRow): Actor {
  const token = { scope, eventId: tokenEventId };
  if (!tokenEventId) return { ...actorOf(row), token };
  const events = heldIn(row).events.filter(({ eventId }) => eventId === tokenEventId);
  const actor = actorWith({ ...row, systemAdmin: false }, { events, organizations: [] });
  if (!row.systemAdmin || actor.unverified || actor.events.length > 0) return { ...actor, token };
  if (row.closed && !row.closed.openEvents.includes(tokenEventId))
    return {
      ...actor,
      token,
      withheld: { organizations: [], events: [], ...actor.withheld, system: "secondFactor" },
    };
  return { ...actor, token: { ...token, system: true } };
}
