import { z } from "zod";
import {
  globalScope,
  defineOperation,
  type OperationCall,
  type UploadRule,
} from "#lib/operation/operation.ts";
import { consumeLimit, consumeSearchLimit } from "#lib/rate-limits/rate-limits.ts";
import { parseIncidentListQueryWithPaginator } from "#lib/incidents/cursor.ts";
import { requireEventUser } from "#lib/events/queries.ts";
import { eventScope, eventUserScope } from "#lib/events/scope.ts";
import {
  markIncidentNotificationsRead,
  recordIncidentAccessByOperation,
  recordListAccess,
} from "#lib/incidents/access.ts";
import * as changes from "#lib/incidents/state-change.ts";
import { retitleIncident } from "#lib/incidents/title.ts";
import type { ReportSubmissionContext } from "#lib/incidents/scope.ts";
import * as queries from "#lib/incidents/list-queries.ts";
import { redactIncidentForActor } from "#lib/incidents/redaction.ts";
import {
  EVIDENCE_UPLOAD_LIMITS,
  IncidentChangeInput,
  IncidentList,
  NewIncidentInput,
  IncidentResponse,
  IncidentReopeningInput,
  SubmittedIncidentResponse,
  IncidentStateChangeInput,
  IncidentTitleChangeInput,
} from "#lib/incidents/schema.ts";
import {
  IncidentsAcrossEventsQuery,
  cursorField,
  IncidentsByEventIdQuery,
  IncidentsByEventSlugQuery,
  UserIncidentsQuery,
  type IncidentListQuery,
} from "#lib/incidents/list-schema.ts";
import { OutcomeTemplate, listOutcomeTemplates } from "#lib/organizations/outcome-templates.ts";
import { submitReport, type SubmittedReportAndReceipt } from "#lib/incidents/submission.ts";
import { sealSubmittedReportMailboxCookie } from "#lib/incidents/mailbox-session.ts";
import { incidentWithoutContentScope, incidentScope, reportableEventScope } from "#lib/incidents/scope.ts";
import type { Actor } from "#lib/operation/policy.ts";
import {
  AccessLogOrSummaryForReporter,
  AccessLogQuery,
  loadAccessLogAndRecordView,
} from "#lib/incidents/access-log-queries.ts";
import {
  IncidentHistory,
  HistoryQuery,
  loadHistoryAndRecordView,
  loadIncidentTimelineAndRecordView,
  TimelineQuery,
} from "#lib/incidents/history-queries.ts";
import { loadReachedStatesAndOutcome, ReachedStatesAndOutcome } from "#lib/incidents/progress-queries.ts";

/** Incidents (contract 7). */

const EVIDENCE_UPLOAD: UploadRule = {
  fields: ["relatedFiles", "relatedFiles[]"],
  maxFiles: EVIDENCE_UPLOAD_LIMITS.count,
  maxBytesEach: EVIDENCE_UPLOAD_LIMITS.bytesEach,
  maxBytesTotal: EVIDENCE_UPLOAD_LIMITS.bytesTotal,
  orJson: true,
};

export const createIncident = defineOperation({
  name: "createIncident",
  summary: "Report an incident, with files",
  ignoresUnknownNames: true,
  on: eventScope,
  rolesIn: "event",
  can: "incident.create",
  input: NewIncidentInput,
  body: "multipart",
  upload: EVIDENCE_UPLOAD,
  output: SubmittedIncidentResponse,
  version: ({ incident }) => incident.updatedAt,
  status: 201,
  location: locateReport,
  once: "verb",
  limit: "report",
  errors: ["QUOTA_EXCEEDED"],
  run: (context, report) => fileReport(context, report),
});

export const createIncidentWithoutRole = defineOperation({
  name: "createIncidentWithoutRole",
  summary:
    "Report an incident at an event where anyone with an account may; with a name, it makes you a Reporter",
  on: reportableEventScope,
  rolesIn: "event",
  can: "incident.createWithoutRole",
  input: NewIncidentInput,
  body: "multipart",
  upload: EVIDENCE_UPLOAD,
  output: SubmittedIncidentResponse,
  version: ({ incident }) => incident.updatedAt,
  status: 201,
  location: locateReport,
  once: "verb",
  limit: "report",
  errors: ["EVENT_NOT_OPEN", "QUOTA_EXCEEDED"],
  incidentsByRole: (_, { eventId }) => ({ events: [eventId] }),
  run: (context, report) => fileReport({ ...context, withoutRole: true }, report),
});

/**
 * Returns the path at which the sender reads a new report. One without a name is read in its mailbox, not by its id.
 */
function locateReport({
  incident: { id, eventId, reporterId },
}: z.output<typeof SubmittedIncidentResponse>): string {
  return reporterId === null ? "/api/mailbox" : `/api/events/${eventId}/incidents/${id}`;
}

async function fileReport(
  context: ReportSubmissionContext,
  report: NewIncidentInput,
): Promise<SubmittedReportAndReceipt> {
  const { actor, call } = context;
  if (call.files.length > 0) await consumeLimit("upload", actor.id);
  const submitted = await submitReport(context, report);
  const { incident, receipt } = submitted;
  if (receipt !== undefined && report.openMailbox)
    call.setCookie(await sealSubmittedReportMailboxCookie(incident.id, receipt));
  return submitted;
}

type ListContext = { actor: Actor; eventId: string; call: OperationCall };
type WithCursor<Query> = Query & { cursor?: string | undefined };

/** For HTTP, passes the database's JSON text through where nothing must be redacted; pages get parsed rows. */
const listIncidentPage = async (
  { actor, eventId, call }: ListContext,
  input: WithCursor<IncidentListQuery>,
) => {
  await consumeSearchLimit(actor.id, input);
  const { query, paginate } = parseIncidentListQueryWithPaginator({ actor, call, list: eventId }, input);
  const text = call.request
    ? await queries.listEventIncidentsAsJsonUnlessAnyRedacted(actor, eventId, query)
    : undefined;
  const found = text ?? (await queries.listEventIncidents(actor, eventId, query));
  await recordListAccess({ actor, call }, found.refs);
  if ("records" in found) return queries.toIncidentListJson(found, paginate(found));
  return { incidents: found.incidents, pagination: paginate(found) };
};

export const listIncidentsByEventId = defineOperation({
  name: "listIncidentsByEventId",
  summary: "List the incidents of an event; a Reporter sees only their own",
  ignoresUnknownNames: true,
  on: eventScope,
  rolesIn: "event",
  can: "incident.list",
  input: IncidentsByEventIdQuery.extend(cursorField),
  output: IncidentList,
  run: (context, query) => listIncidentPage(context, query),
});

export const listIncidentsByEventSlug = defineOperation({
  name: "listIncidentsByEventSlug",
  summary: "List the incidents of an event; a Reporter sees only their own",
  ignoresUnknownNames: true,
  on: eventScope,
  rolesIn: "event",
  can: "incident.list",
  input: IncidentsByEventSlugQuery.extend(cursorField),
  output: IncidentList,
  run: (context, query) => listIncidentPage(context, query),
});

export const listIncidentsAcrossEvents = defineOperation({
  name: "listIncidentsAcrossEvents",
  summary: "List the incidents of every event that you can access",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "incident.listAcrossEvents",
  input: IncidentsAcrossEventsQuery.extend(cursorField),
  output: IncidentList,
  incidentsByRole: ({ event }) => ({ events: event }),
  run: async ({ actor, call }, input) => {
    await consumeSearchLimit(actor.id, input);
    const { query, paginate } = parseIncidentListQueryWithPaginator(
      { actor, call, list: "every event" },
      input,
    );
    const text = call.request
      ? await queries.listIncidentsAcrossEventsAsJsonUnlessAnyRedacted(actor, query)
      : undefined;
    const found = text ?? (await queries.listIncidentsAcrossEvents(actor, query));
    await recordListAccess({ actor, call }, found.refs);
    if ("records" in found) return queries.toIncidentListJson(found, paginate(found));
    return { incidents: found.incidents, pagination: paginate(found) };
  },
});

export const showIncident = defineOperation({
  name: "showIncident",
  summary: "Show an incident",
  ignoresUnknownNames: true,
  on: incidentScope,
  rolesIn: "event",
  can: "incident.view",
  output: IncidentResponse,
  version: ({ incident }) => incident.updatedAt,
  run: async ({ actor, incident, right, call }) => {
    const { id: incidentId, eventId, reporterId } = incident;
    await Promise.all([
      recordIncidentAccessByOperation(
        { incidentId, eventId, reporterId, actor, right, call },
        { kind: "view" },
      ),
      // A program that reads an incident isn't its person reading the notification.
      actor.token ? undefined : markIncidentNotificationsRead(actor, incidentId),
    ]);
    return { incident: redactIncidentForActor(actor, incident) };
  },
});

export const changeIncidentState = defineOperation({
  name: "changeIncidentState",
  summary: "Move an incident to another state, with a note",
  ignoresUnknownNames: true,
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "incident.changeState",
  input: IncidentStateChangeInput,
  output: IncidentResponse,
  version: ({ incident }) => incident.updatedAt,
  ifMatch: true,
  errors: ["INVALID_ASSIGNEE"],
  run: async (context, change) => ({
    incident: await changes.changeState(context, context.incidentId, change),
  }),
});

/** For the dialogs that resolve and close. HTTP offers the organization's `listOutcomeTemplates`. */
export const listEventOutcomeTemplates = defineOperation({
  name: "listEventOutcomeTemplates",
  summary: "List the organization's own texts for outcome messages, for an event's team",
  on: eventScope,
  can: "incident.update",
  output: z.object({ templates: z.array(OutcomeTemplate) }),
  run: async ({ organizationId }) => ({ templates: await listOutcomeTemplates(organizationId) }),
});

export const reopenIncident = defineOperation({
  name: "reopenIncident",
  summary: "Reopen a resolved or closed incident",
  ignoresUnknownNames: true,
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "incident.reopen",
  input: IncidentReopeningInput,
  output: IncidentResponse,
  version: ({ incident }) => incident.updatedAt,
  ifMatch: true,
  errors: ["INVALID_ASSIGNEE", "INVALID_STATE_TRANSITION"],
  run: async (context, reopening) => ({
    incident: await changes.reopenResolvedOrClosedIncident(context, context.incidentId, reopening),
  }),
});

export const updateIncident = defineOperation({
  name: "updateIncident",
  summary: "Change the assignee, severity, resolution or status of an incident",
  ignoresUnknownNames: true,
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "incident.update",
  input: IncidentChangeInput,
  output: IncidentResponse,
  version: ({ incident }) => incident.updatedAt,
  ifMatch: true,
  errors: ["INVALID_ASSIGNEE"],
  run: async (context, change) => ({
    incident: await changes.updateIncident(context, context.incidentId, change),
  }),
});

/** For the pages, which offer it right after a change. */
export const undoIncidentChange = defineOperation({
  name: "undoIncidentChange",
  summary: "Undo your own change of an incident, if nothing has changed since",
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "incident.update",
  output: IncidentResponse,
  ifMatch: true,
  errors: ["INVALID_ASSIGNEE"],
  run: async (context) => ({ incident: await changes.undoIncidentChange(context, context.incidentId) }),
});

export const retitleIncidentByEventId = defineOperation({
  name: "retitleIncidentByEventId",
  summary: "Change the title: as Admin, SystemAdmin, or the Reporter who sent the report",
  ignoresUnknownNames: true,
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "incident.retitleById",
  input: IncidentTitleChangeInput,
  output: IncidentResponse,
  version: ({ incident }) => incident.updatedAt,
  ifMatch: true,
  run: async (context, { title }) => ({
    incident: await retitleIncident(context, context.incidentId, { title, role: "Admin" }),
  }),
});

export const retitleIncidentByEventSlug = defineOperation({
  name: "retitleIncidentByEventSlug",
  summary: "Change the title: as the team, or the Reporter who sent the report",
  ignoresUnknownNames: true,
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "incident.retitleBySlug",
  input: IncidentTitleChangeInput,
  output: IncidentResponse,
  version: ({ incident }) => incident.updatedAt,
  ifMatch: true,
  run: async (context, { title }) => ({
    incident: await retitleIncident(context, context.incidentId, { title, role: "team" }),
  }),
});

export const listEventUserIncidents = defineOperation({
  name: "listEventUserIncidents",
  summary: "List the incidents that a person reported or is assigned to in an event",
  ignoresUnknownNames: true,
  on: eventUserScope,
  can: "event.viewUser",
  input: UserIncidentsQuery.extend(cursorField),
  output: IncidentList.extend({ total: z.int() }),
  run: async (person, input) => {
    await requireEventUser(person);
    const { actor, call, eventId, userId } = person;
    await consumeSearchLimit(actor.id, input);
    const { query, paginate } = parseIncidentListQueryWithPaginator(
      { actor, call, list: `${eventId} ${userId}` },
      input,
    );
    const found = await queries.listIncidentsReportedByOrAssignedTo(actor, eventId, userId, query);
    const { incidents, total, refs, lastKeys } = found;
    await recordListAccess(person, refs);
    return { incidents, total, pagination: paginate({ total, ...(lastKeys && { lastKeys }) }) };
  },
});

export const showIncidentAccess = defineOperation({
  name: "showIncidentAccess",
  summary:
    "List who has viewed an incident; its reporter learns how many people, and the day of the latest view",
  on: incidentWithoutContentScope,
  can: "incident.viewAccess",
  input: AccessLogQuery,
  output: AccessLogOrSummaryForReporter,
  run: (context, query) => loadAccessLogAndRecordView(context, query),
});

export const showIncidentHistory = defineOperation({
  name: "showIncidentHistory",
  summary:
    "List the history of an incident, oldest first; a Reporter sees statuses, messages and their own files",
  ignoresUnknownNames: true,
  on: incidentWithoutContentScope,
  can: "incident.viewHistory",
  input: HistoryQuery,
  output: IncidentHistory,
  run: (context, query) => loadHistoryAndRecordView(context, query),
});

/**
 * The history as an incident's page shows it. One person may write any amount, so pages are limited by length of text
 * as well as by number of entries. HTTP offers `showIncidentHistory` only.
 */
export const showIncidentTimeline = defineOperation({
  name: "showIncidentTimeline",
  summary: "List the history of an incident, newest first, in short pages",
  on: incidentWithoutContentScope,
  can: "incident.viewHistory",
  input: TimelineQuery,
  output: IncidentHistory,
  run: (context, query) => loadIncidentTimelineAndRecordView(context, query),
});

/** Shows the progress of an incident, which its page needs in addition to the record. */
export const showIncidentProgress = defineOperation({
  name: "showIncidentProgress",
  summary: "Show which statuses an incident has been in, and the outcome that its reporter was told",
  on: incidentWithoutContentScope,
  can: "incident.viewHistory",
  output: ReachedStatesAndOutcome,
  run: ({ incidentId }) => loadReachedStatesAndOutcome(incidentId),
});
