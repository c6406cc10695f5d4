import { prisma } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import {
  createContainerScope,
  type PathParams,
  type OperationScopeResolvers,
} from "#lib/operation/operation.ts";
import { loadEventByIdOrSlug, type EventIdOrSlug } from "#lib/events/queries.ts";
import type { EventRecord } from "#lib/events/schema.ts";
import { parsePathIdOrNilUuid, requirePathSlug } from "#lib/operation/path-params.ts";
import type { Actor } from "#lib/operation/policy.ts";

export type EventPermissionSubject = { eventId: string; organizationId: string };

/**
 * The event that a path names by `:eventId` or `:slug`. If the actor has a role in it, its ids come from the roles that
 * were loaded with the actor; otherwise a query checks that it exists.
 */
export const eventScope: OperationScopeResolvers<EventPermissionSubject, EventPermissionSubject> = {
  container: async (params, actor) => findEventInRoles(actor, params) ?? (await loadEventSubject(params)),
};

type EventWithPublicFieldsPermissionSubject = EventPermissionSubject & { event: EventRecord };

/** The scope of the event that a path names: its ids and its public fields, loaded by one statement. */
export const eventWithPublicFieldsScope = createContainerScope<EventWithPublicFieldsPermissionSubject>(
  async (params) => {
    const event = await loadEventByIdOrSlug(readEventKey(params));
    return { eventId: event.id, organizationId: event.organizationId, event };
  },
);

export type EventUserPermissionSubject = EventPermissionSubject & { userId: string };

/** A person of the event. The statement that reads or changes them checks whether they hold a role in it. */
export const eventUserScope: OperationScopeResolvers<EventUserPermissionSubject, EventUserPermissionSubject> =
  {
    container: async (params, actor) => ({
      ...(await eventScope.container(params, actor)),
      userId: parsePathIdOrNilUuid(params.userId),
    }),
  };

function findEventInRoles(actor: Actor | null, params: PathParams): EventPermissionSubject | undefined {
  const requestedId = params.eventId?.toLowerCase();
  const eventRole = actor?.events.find(({ eventId, slug }) =>
    params.slug === undefined ? eventId === requestedId : slug === params.slug,
  );
  return eventRole && { eventId: eventRole.eventId, organizationId: eventRole.organizationId };
}

async function loadEventSubject(params: PathParams): Promise<EventPermissionSubject> {
  const where = readEventKey(params);
  const event = await prisma.event.findUnique({ where, select: { id: true, organizationId: true } });
  if (!event) throw createNotFoundError("event");
  return { eventId: event.id, organizationId: event.organizationId };
}

/** Reads the id or slug of an event from a path. @throws AppError NOT_FOUND when the path can't name an event */
function readEventKey(params: PathParams): EventIdOrSlug {
  const id = params.eventId?.toLowerCase();
  if (id !== undefined && !UUID_PATTERN.test(id)) throw createNotFoundError("event");
  return id === undefined ? { slug: requirePathSlug(params.slug) } : { id };
}
