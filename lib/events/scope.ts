import { db } from "#lib/database/client.ts";
import { notFound } from "#lib/operation/errors.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { UUID } from "#lib/operation/fields.ts";
import { only, type Params, type Scope } from "#lib/operation/operation.ts";
import { findEventWhere } from "#lib/events/queries.ts";
import type { EventRecord } from "#lib/events/schema.ts";
import { idInPath, mustBeSlug } from "#lib/operation/path-params.ts";
import type { Actor } from "#lib/operation/policy.ts";

export type EventSubject = { eventId: string; organizationId: string };

/**
 * The event that a path names by `:eventId` or `:slug`. Whoever holds a role in it has it among the roles
 * that were just read with the session; only others need to ask whether it exists.
 */
export const eventScope: Scope<EventSubject, EventSubject> = {
  container: async (params, actor) => knownTo(actor, params) ?? (await lookUp(params)),
};

export type ShownEventSubject = EventSubject & { event: EventRecord };

/** The same event with all that may be shown of it, for what anybody may see: one statement finds both. */
export const shownEventScope = only<ShownEventSubject>(async (params) => {
  const event = await findEventWhere(namedBy(params));
  return { eventId: event.id, organizationId: event.organizationId, event };
});

export type EventUserSubject = EventSubject & { userId: string };

/** A person of the event. Whether they hold a role in it is settled by the statement that reads or changes it. */
export const eventUserScope: Scope<EventUserSubject, EventUserSubject> = {
  container: async (params, actor) => ({
    ...(await eventScope.container(params, actor)),
    userId: idInPath(params.userId),
  }),
};

function knownTo(actor: Actor | null, params: Params): EventSubject | undefined {
  const wanted = params.eventId?.toLowerCase();
  const held = actor?.events.find(({ eventId, slug }) =>
    params.slug === undefined ? eventId === wanted : slug === params.slug,
  );
  return held && { eventId: held.eventId, organizationId: held.organizationId };
}

async function lookUp(params: Params): Promise<EventSubject> {
  const [found] = await db.$queryRaw<EventSubject[]>`
    select id as "eventId", organization_id as "organizationId" from events where ${namedBy(params)}`;
  if (!found) throw notFound("This event");
  return found;
}

/** The condition on a row of the event. @throws AppError NOT_FOUND where the path can name none */
function namedBy(params: Params): Prisma.Sql {
  const id = params.eventId?.toLowerCase();
  if (id !== undefined && !UUID.test(id)) throw notFound("This event");
  return id === undefined ? Prisma.sql`slug = ${mustBeSlug(params.slug)}` : Prisma.sql`id = ${id}::uuid`;
}
