import { db } from "#lib/database/client.ts";
import { notFound } from "#lib/operation/errors.ts";
import { UUID } from "#lib/operation/fields.ts";
import type { Params, Scope } from "#lib/operation/operation.ts";
import { eventScope, type EventSubject } from "#lib/events/scope.ts";
import { findIncident, type IncidentRow } from "#lib/incidents/queries.ts";
import { can, isTeam, type Actor } from "#lib/operation/policy.ts";

export type IncidentSubject = EventSubject & { reporterId: string | null; incident: IncidentRow };

/**
 * The incident of an event that a path names. One of another event, and one that the actor may not see,
 * don't exist (contract 3.5).
 */
export const incidentScope: Scope<EventSubject, IncidentSubject> = {
  container: eventScope.container,
  inside: incidentInside,
};

async function incidentInside(
  event: EventSubject,
  params: Params,
  actor: Actor | null,
): Promise<IncidentSubject> {
  const id = params.incidentId?.toLowerCase() ?? "";
  const incident = UUID.test(id) ? await findIncident(db, event.eventId, id) : null;
  const subject = { ...event, reporterId: incident?.reporterId ?? null };
  if (!incident || !can(actor, "incident.view", subject)) throw notFound("This incident");
  return { ...subject, incident };
}

export type IncidentRefSubject = EventSubject & { reporterId: string | null; incidentId: string };

/** As `incidentScope`, for what needs to know only that the incident is there and whose it is. */
export const incidentRefScope: Scope<EventSubject, IncidentRefSubject> = {
  container: eventScope.container,
  inside: incidentRefInside,
};

/** @throws AppError NOT_FOUND when there is none that the actor may see */
export async function incidentRefInside(
  event: EventSubject,
  params: Params,
  actor: Actor | null,
): Promise<IncidentRefSubject> {
  const incidentId = params.incidentId?.toLowerCase() ?? "";
  if (!UUID.test(incidentId)) throw notFound("This incident");
  const [found] = await db.$queryRaw<{ reporterId: string | null }[]>`
    select reporter_id as "reporterId" from incidents
    where id = ${incidentId}::uuid and event_id = ${event.eventId}::uuid`;
  const subject = { ...event, reporterId: found?.reporterId ?? null, incidentId };
  if (!found || !can(actor, "incident.view", subject)) throw notFound("This incident");
  return subject;
}

export type FileSubject = IncidentRefSubject & {
  file: {
    id: string;
    filename: string;
    mimetype: string;
    size: number;
    sha256: string;
    copySha256: string | null;
    storageKey: string;
    originalKey: string | null;
    originalSize: number | null;
  };
};

/**
 * The file of an incident that a path names; where the incident is not to be seen, neither is its file. What the team
 * keeps to itself is not there for the reporter.
 */
export const fileScope: Scope<EventSubject, FileSubject> = {
  container: eventScope.container,
  inside: async (event, params, actor) => {
    const subject = await incidentRefInside(event, params, actor);
    const id = params.fileId?.toLowerCase() ?? "";
    const own = { OR: [{ visibleToReporter: true }, ...(actor ? [{ uploadedById: actor.id }] : [])] };
    const shown = actor && isTeam(actor, event.eventId) ? {} : own;
    const where = { id, incidentId: subject.incidentId, ...shown };
    const file = UUID.test(id) ? await db.relatedFile.findFirst({ where }) : null;
    if (!file) throw notFound("This file");
    return { ...subject, file };
  },
};
