import { toLikePattern } from "#lib/operation/fields.ts";
import { sql } from "#lib/database/client.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { findIncidentsByTitleOrId } from "#lib/incidents/queries.ts";
import { findJumpPages } from "#lib/jump/pages.ts";
import { MAX_JUMP_RESULTS, type JumpQuery, type JumpResultsRecord } from "#lib/jump/schema.ts";
import {
  isTeamMember,
  listSystemAccessEvents,
  hasSystemAccessEverywhere,
  type Actor,
} from "#lib/operation/policy.ts";

/** Runs at most four statements in parallel, whatever the search. */
export async function findJumpResults(
  actor: Actor,
  { search, language }: JumpQuery,
): Promise<JumpResultsRecord> {
  const [incidents, events, people, pages] = await Promise.all([
    findIncidentsByTitleOrId(
      actor,
      { search, id: ID_OR_ID_PREFIX.test(search) ? search.toLowerCase() : null },
      MAX_JUMP_RESULTS,
    ),
    findEvents(actor, toLikePattern(search)),
    findPeople(actor, toLikePattern(search)),
    findJumpPages(actor, search, language),
  ]);
  return { incidents, events, people, pages };
}

/** A whole id, or its first eight digits, by which people refer to a report. */
const ID_OR_ID_PREFIX = /^[0-9a-f]{8}(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?$/i;

type JumpEvent = JumpResultsRecord["events"][number];

/** Finds events in which the actor has a role, and events of their organizations. */
async function findEvents(actor: Actor, pattern: string): Promise<JumpEvent[]> {
  const events = [...actor.events.map(({ eventId }) => eventId), ...listSystemAccessEvents(actor)];
  const organizations = actor.organizations.map(({ organizationId }) => organizationId);
  const reachCondition = hasSystemAccessEverywhere(actor)
    ? Prisma.sql`true`
    : Prisma.sql`(e.id = any(${events}::uuid[]) or e.organization_id = any(${organizations}::uuid[]))`;
  return sql.$queryRaw<JumpEvent[]>`
    select e.id, e.name, e.slug from events e
    where ${reachCondition} and (e.name ilike ${pattern} or e.slug ilike ${pattern})
    order by e.is_active desc, lower(e.name), e.id limit ${MAX_JUMP_RESULTS}::int`;
}

type JumpPerson = { id: string; name: string; eventId: string; eventName: string; eventSlug: string };

/** Finds each person once, with one of the events that they share with the actor. */
async function findPeople(actor: Actor, pattern: string): Promise<JumpResultsRecord["people"]> {
  const teamEventIds = actor.events
    .map(({ eventId }) => eventId)
    .filter((eventId) => isTeamMember(actor, eventId));
  const reachableEventIds = [...teamEventIds, ...listSystemAccessEvents(actor)];
  const canReachAll = hasSystemAccessEverywhere(actor);
  if (!canReachAll && reachableEventIds.length === 0) return [];
  const reachCondition = canReachAll
    ? Prisma.sql`true`
    : Prisma.sql`r.event_id = any(${reachableEventIds}::uuid[])`;
  const rows = await sql.$queryRaw<JumpPerson[]>`
    select p.id, p.name, e.id as "eventId", e.name as "eventName", e.slug as "eventSlug"
    from (
      select u.id, u.name, (select r.event_id from event_roles r where r.user_id = u.id and ${reachCondition} limit 1) as event_id
      from users u
      where u.name ilike ${pattern} and u.disabled_at is null
        and exists (select 1 from event_roles r where r.user_id = u.id and ${reachCondition})
      order by lower(u.name), u.id limit ${MAX_JUMP_RESULTS}::int
    ) p join events e on e.id = p.event_id order by lower(p.name), p.id`;
  return rows.map(({ id, name, eventId, eventName, eventSlug }) => ({
    id,
    name,
    event: { id: eventId, name: eventName, slug: eventSlug },
  }));
}
