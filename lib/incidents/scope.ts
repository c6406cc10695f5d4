import { db } from "#lib/db.ts";
import { notFound } from "#lib/errors.ts";
import { UUID } from "#lib/api/text.ts";
import type { Params, Scope } from "#lib/api/operation.ts";
import { eventScope, type EventSubject } from "#lib/events/scope.ts";
import { findIncident, type IncidentRow } from "#lib/incidents/queries.ts";
import { can, type Actor } from "#lib/policy.ts";

export type IncidentSubject = EventSubject & { reporterId: string | null; incident: IncidentRow };

/**
 * The incident of an event that a path names. One of another event, and one that the actor may not see,
 * don't exist (rulings R1).
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

export type FileSubject = IncidentSubject & {
  file: { id: string; storageKey: string; filename: string; mimetype: string };
};

/** The file of an incident that a path names; where the incident is not to be seen, neither is its file. */
export const fileScope: Scope<EventSubject, FileSubject> = {
  container: eventScope.container,
  inside: async (event, params, actor) => {
    const subject = await incidentInside(event, params, actor);
    const id = params.fileId?.toLowerCase() ?? "";
    const where = { id, incidentId: subject.incident.id };
    const file = UUID.test(id) ? await db.relatedFile.findFirst({ where }) : null;
    if (!file) throw notFound("This file");
    return { ...subject, file };
  },
};
