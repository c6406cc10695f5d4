import { likePattern } from "#lib/operation/fields.ts";
import { db } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { findByTitle } from "#lib/incidents/queries.ts";
import { findPages } from "#lib/jump/pages.ts";
import { JUMP_LIMIT, type JumpQuery, type JumpRecord } from "#lib/jump/schema.ts";
import { isTeam, passedEventsOf, passesEverywhere, type Actor } from "#lib/operation/policy.ts";

/** Four statements side by side at most, whatever is asked for. */
export async function findForJump(actor: Actor, { search, language }: JumpQuery): Promise<JumpRecord> {
  const [incidents, events, people, pages] = await Promise.all([
    findByTitle(
      actor,
      { search, id: ID_OR_ITS_START.test(search) ? search.toLowerCase() : null },
      JUMP_LIMIT,
    ),
    findEvents(actor, likePattern(search)),
    findPeople(actor, likePattern(search)),
    findPages(actor, search, language),
  ]);
  return { incidents, events, people, pages };
}

/** A whole id, or the eight digits with which people name a report to each other. */
const ID_OR_ITS_START = /^[0-9a-f]{8}(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?$/i;

type EventRef = JumpRecord["events"][number];

/** Events in which the actor has a role, and those of their organizations. */
async function findEvents(actor: Actor, pattern: string): Promise<EventRef[]> {
  const events = [...actor.events.map(({ eventId }) => eventId), ...passedEventsOf(actor)];
  const organizations = actor.organizations.map(({ organizationId }) => organizationId);
  const reach = passesEverywhere(actor)
    ? Prisma.sql`true`
    : Prisma.sql`(e.id = any(${events}::uuid[]) or e.organization_id = any(${organizations}::uuid[]))`;
  return db.$queryRaw<EventRef[]>`
    select e.id, e.name, e.slug from events e
    where ${reach} and (e.name ilike ${pattern} or e.slug ilike ${pattern})
    order by e.is_active desc, lower(e.name), e.id limit ${JUMP_LIMIT}::int`;
}

type Person = { id: string; name: string; eventId: string; eventName: string; eventSlug: string };

/** Each person once, with one of the events that they share with the actor. */
async function findPeople(actor: Actor, pattern: string): Promise<JumpRecord["people"]> {
  const held = actor.events.map(({ eventId }) => eventId).filter((eventId) => isTeam(actor, eventId));
  const team = [...held, ...passedEventsOf(actor)];
  const all = passesEverywhere(actor);
  if (!all && team.length === 0) return [];
  const reach = all ? Prisma.sql`true` : Prisma.sql`r.event_id = any(${team}::uuid[])`;
  const rows = await db.$queryRaw<Person[]>`
    select p.id, p.name, e.id as "eventId", e.name as "eventName", e.slug as "eventSlug"
    from (
      select u.id, u.name, (select r.event_id from event_roles r where r.user_id = u.id and ${reach} limit 1) as event_id
      from users u
      where u.name ilike ${pattern} and u.disabled_at is null
        and exists (select 1 from event_roles r where r.user_id = u.id and ${reach})
      order by lower(u.name), u.id limit ${JUMP_LIMIT}::int
    ) p join events e on e.id = p.event_id order by lower(p.name), p.id`;
  return rows.map(({ id, name, eventId, eventName, eventSlug }) => ({
    id,
    name,
    event: { id: eventId, name: eventName, slug: eventSlug },
  }));
}
