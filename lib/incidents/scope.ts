import { prisma, sql } from "#lib/database/client.ts";
import { AppError, createNotFoundError } from "#lib/operation/errors.ts";
import { UUID_PATTERN } from "#lib/operation/fields.ts";
import type { OperationCall, OperationScopeResolvers, PathParams } from "#lib/operation/operation.ts";
import { assertAnyAccountCanReport } from "#lib/events/join.ts";
import { eventScope, type EventPermissionSubject } from "#lib/events/scope.ts";
import {
  assertConflictCheckAnswered,
  findIncidentAsSeenByReader,
  findReporterAndConflictCheckState,
  type IncidentRow,
} from "#lib/incidents/record-queries.ts";
import { can, hasSystemAdminAccessToEvent, hasTeamAccessToEvent, type Actor } from "#lib/operation/policy.ts";

/** The actor, the event in which they act, and their right. */
export type EventActorContext = EventPermissionSubject & { actor: Actor; right: string; call: OperationCall };

/** `withoutRole`: the sender need not hold a role where anyone with an account may report (contract 7.16). */
export type ReportSubmissionContext = EventActorContext & { withoutRole?: true };

/**
 * The event in which somebody without a role may report. It is checked before the body is read (contract 3.4).
 * @throws AppError FORBIDDEN where only members may report
 */
export const reportableEventScope: OperationScopeResolvers<EventPermissionSubject, EventPermissionSubject> = {
  container: async (params, actor) => {
    const event = await eventScope.container(params, actor);
    if (!can(actor, "incident.create", event)) await assertAnyAccountCanReport(event.eventId);
    return event;
  },
};

type IncidentPermissionSubject = EventPermissionSubject & {
  reporterId: string | null;
  incidentId: string;
  incident: IncidentRow;
};

/**
 * The incident that a path names within an event. One of another event, or one that the actor may not see, is reported
 * as not found (contract 3.5).
 */
export const incidentScope: OperationScopeResolvers<EventPermissionSubject, IncidentPermissionSubject> = {
  container: eventScope.container,
  inside: resolveIncident,
};

async function resolveIncident(
  event: EventPermissionSubject,
  params: PathParams,
  actor: Actor | null,
): Promise<IncidentPermissionSubject> {
  const id = params.incidentId?.toLowerCase() ?? "";
  const incident = UUID_PATTERN.test(id)
    ? await findIncidentAsSeenByReader(sql, { ...event, incidentId: id, reader: actor })
    : null;
  const subject = { ...event, reporterId: incident?.reporterId ?? null, incidentId: id };
  if (!incident || !can(actor, "incident.view", subject)) throw createNotFoundError("incident");
  assertConflictCheckAnswered(incident);
  return { ...subject, incident };
}

export type IncidentWithoutContentPermissionSubject = EventPermissionSubject & {
  reporterId: string | null;
  incidentId: string;
  inEmergency: boolean;
};

/**
 * Like `incidentScope`, for operations that need only the incident's existence and its reporter. It is refused to
 * whoever hasn't answered the conflict check, since whatever belongs to an incident is content (contract 16.9).
 */
export const incidentWithoutContentScope: OperationScopeResolvers<
  EventPermissionSubject,
  IncidentWithoutContentPermissionSubject
> = {
  container: eventScope.container,
  inside: requireIncidentWithoutContent,
};

/**
 * Like `incidentWithoutContentScope`, also before the conflict check is answered: for answering it, and for nothing
 * that reads content.
 */
export const incidentScopeBeforeConflictCheck: OperationScopeResolvers<
  EventPermissionSubject,
  IncidentWithoutContentPermissionSubject & { isUnopened: boolean }
> = {
  container: eventScope.container,
  inside: (event, params, actor) =>
    requireIncidentBeforeConflictCheck(event, params, { actor, mayBeHidden: false }),
};

/**
 * Like `incidentScopeBeforeConflictCheck`, also where the incident is hidden from a SystemAdmin, in a session: for opening
 * it in an emergency.
 */
export const incidentScopeInEmergency: OperationScopeResolvers<
  EventPermissionSubject,
  IncidentWithoutContentPermissionSubject
> = {
  container: eventScope.container,
  inside: (event, params, actor) => {
    const mayBeHidden = actor !== null && !actor.token && hasSystemAdminAccessToEvent(actor, event.eventId);
    return requireIncidentBeforeConflictCheck(event, params, { actor, mayBeHidden });
  },
};

/**
 * Resolves the incident that a path names within an event, without its content.
 * @throws AppError NOT_FOUND when there is no such incident that the actor may see, CONFLICT_CHECK_REQUIRED when it is
 *   closed to them until they answer the conflict check
 */
export async function requireIncidentWithoutContent(
  event: EventPermissionSubject,
  params: PathParams,
  actor: Actor | null,
): Promise<IncidentWithoutContentPermissionSubject> {
  const { isUnopened, ...subject } = await requireIncidentBeforeConflictCheck(event, params, {
    actor,
    mayBeHidden: false,
  });
  if (isUnopened) throw new AppError("CONFLICT_CHECK_REQUIRED", "conflictCheckRequired");
  return subject;
}

/**
 * Resolves the incident that a path names within an event, and whether it is closed to the actor.
 * Where `mayBeHidden`, it may be hidden from the actor, too.
 * @throws AppError NOT_FOUND when there is no such incident that the actor may see
 */
async function requireIncidentBeforeConflictCheck(
  event: EventPermissionSubject,
  params: PathParams,
  { actor, mayBeHidden }: { actor: Actor | null; mayBeHidden: boolean },
): Promise<IncidentWithoutContentPermissionSubject & { isUnopened: boolean }> {
  const incidentId = params.incidentId?.toLowerCase() ?? "";
  if (!UUID_PATTERN.test(incidentId)) throw createNotFoundError("incident");
  const row = await findReporterAndConflictCheckState({ ...event, incidentId }, { actor, mayBeHidden });
  const subject = {
    ...event,
    reporterId: row?.reporterId ?? null,
    incidentId,
    isUnopened: row?.isUnopened ?? true,
    inEmergency: row?.inEmergency ?? false,
  };
  const permission = mayBeHidden ? "incident.openInEmergency" : "incident.view";
  if (!row || !can(actor, permission, subject)) throw createNotFoundError("incident");
  return subject;
}

export type IncidentFilePermissionSubject = IncidentWithoutContentPermissionSubject & {
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
 * The file that a path names within an incident. If the actor can't see the incident, the file isn't found either; nor
 * does a reporter find the team's own files.
 */
export const incidentFileScope: OperationScopeResolvers<
  EventPermissionSubject,
  IncidentFilePermissionSubject
> = {
  container: eventScope.container,
  inside: async (event, params, actor) => {
    const subject = await requireIncidentWithoutContent(event, params, actor);
    const id = params.fileId?.toLowerCase() ?? "";
    const reporterVisible = {
      OR: [{ visibleToReporter: true }, ...(actor ? [{ uploadedById: actor.id }] : [])],
    };
    const visibilityFilter = actor && hasTeamAccessToEvent(actor, event.eventId) ? {} : reporterVisible;
    const where = { id, incidentId: subject.incidentId, conversationId: null, ...visibilityFilter };
    const file = UUID_PATTERN.test(id) ? await prisma.relatedFile.findFirst({ where }) : null;
    if (!file) throw createNotFoundError("file");
    return { ...subject, file };
  },
};
