import { UUID_PATTERN } from "#lib/operation/fields.ts";
import { prisma, sql } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { findIncidentAsSeenByReader } from "#lib/incidents/record-queries.ts";
import {
  hasAccessToEventOrOrganization,
  can,
  hasWithheldRole,
  hasSystemAdminAccessToEvent,
  createDenialError,
  type Actor,
} from "#lib/operation/policy.ts";

/** Checks of an event or incident in a request's input, the same as for one in its path (contract 7.14, 3.5). */

/** Checks that the event exists and that the actor has access to it. @throws AppError NOT_FOUND, FORBIDDEN */
export async function assertEventAccess(actor: Actor, eventId: string): Promise<void> {
  if (hasAccessToEventOrOrganization(actor, { eventId }) && !hasSystemAdminAccessToEvent(actor, eventId))
    return;
  const exists = await prisma.event.count({ where: { id: eventId } });
  if (exists === 0) throw createNotFoundError("event");
  if (!hasSystemAdminAccessToEvent(actor, eventId)) throw createDenialError(actor, { eventId });
}

/**
 * Like `assertEventAccess`, for an incident in the event. @throws AppError NOT_FOUND also when the actor can't view the
 * incident there
 */
export async function assertVisibleIncident(
  actor: Actor,
  incidentPath: { incidentId: string; eventId: string },
): Promise<void> {
  await assertEventAccess(actor, incidentPath.eventId);
  const incident = await findIncidentAsSeenByReader(sql, { ...incidentPath, reader: actor });
  const subject = { ...incidentPath, reporterId: incident?.reporterId ?? null };
  if (incident && can(actor, "incident.view", subject)) return;
  throw hasWithheldRole(actor, subject) ? createDenialError(actor, subject) : createNotFoundError("incident");
}

/**
 * Parses an incident's id from a path, whether or not the incident exists. @throws AppError NOT_FOUND for a malformed
 * id
 */
export function parsePathIncidentId(text = ""): string {
  const id = text.toLowerCase();
  if (!UUID_PATTERN.test(id)) throw createNotFoundError("incident");
  return id;
}
