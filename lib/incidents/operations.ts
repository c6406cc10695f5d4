import { z } from "zod";
import { JsonText } from "#lib/operation/json-text.ts";
import { nothing, operation, type Call } from "#lib/operation/operation.ts";
import { countCall, countSearch } from "#lib/rate-limits/rate-limits.ts";
import { pagination } from "#lib/operation/fields.ts";
import { mustHoldRole } from "#lib/events/queries.ts";
import { eventScope, eventUserScope } from "#lib/events/scope.ts";
import { recordAccess } from "#lib/incidents/access.ts";
import { changeState, fileReport, reopen, retitle, updateIncident } from "#lib/incidents/incidents.ts";
import {
  listEventIncidents,
  listEventIncidentsText,
  listIncidentsAcrossEvents,
  listIncidentsAcrossEventsText,
  listIncidentsOfUser,
  shownTo,
  type PageText,
} from "#lib/incidents/queries.ts";
import {
  FILES,
  IncidentChange,
  IncidentList,
  ListAcrossEvents,
  ListByEventId,
  ListByEventSlug,
  ListOfPerson,
  NewIncident,
  OneIncident,
  Reopening,
  StateChange,
  TitleChange,
  type ListQuery,
} from "#lib/incidents/schema.ts";
import { incidentRefScope, incidentScope } from "#lib/incidents/scope.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { AccessLog, AccessQuery, readAccessLog } from "#lib/incidents/access-log.ts";
import { History, HistoryQuery, readHistory, readTimeline, TimelineQuery } from "#lib/incidents/history.ts";
import { findProgress, Progress } from "#lib/incidents/progress.ts";

/** Incidents (contract 7). */

export const createIncident = operation({
  name: "createIncident",
  summary: "Report an incident, with files",
  on: eventScope,
  rolesIn: "event",
  can: "incident.create",
  input: NewIncident,
  body: "multipart",
  upload: {
    fields: ["relatedFiles", "relatedFiles[]"],
    maxFiles: FILES.count,
    maxBytesEach: FILES.bytesEach,
    maxBytesTotal: FILES.bytesTotal,
    orJson: true,
  },
  output: OneIncident,
  status: 201,
  once: true,
  limit: "report",
  run: async (context, report) => {
    const { actor, call } = context;
    if (call.files.length > 0) await countCall("upload", { userId: actor.id, address: call.address });
    return { incident: await fileReport(context, report) };
  },
});

type Asking = { actor: Actor; eventId: string; call: Call };

/** Over HTTP, what needs no reading leaves as the database wrote it; pages read it. */
const page = async ({ actor, eventId, call }: Asking, query: ListQuery) => {
  await countSearch(actor.id, query);
  const text = call.request ? await listEventIncidentsText(actor, eventId, query) : undefined;
  if (text) return written(text, query);
  const { incidents, total } = await listEventIncidents(actor, eventId, query);
  return { incidents, pagination: pagination(query, total) };
};

/** `IncidentList` as text. */
const written = ({ records, total }: PageText, query: ListQuery): JsonText =>
  new JsonText(`{"incidents":[${records}],"pagination":${JSON.stringify(pagination(query, total))}}`);

export const listIncidentsById = operation({
  name: "listIncidentsByEventId",
  summary: "The incidents of an event; a Reporter's own only",
  on: eventScope,
  rolesIn: "event",
  can: "incident.list",
  input: ListByEventId,
  output: IncidentList,
  run: (context, query) => page(context, query),
});

export const listIncidentsBySlug = operation({
  name: "listIncidentsByEventSlug",
  summary: "The incidents of an event; a Reporter's own only",
  on: eventScope,
  rolesIn: "event",
  can: "incident.list",
  input: ListByEventSlug,
  output: IncidentList,
  run: (context, query) => page(context, query),
});

export const listMyIncidents = operation({
  name: "listIncidentsAcrossEvents",
  summary: "The incidents of every event that you can access",
  on: nothing,
  can: "incident.listAcrossEvents",
  input: ListAcrossEvents,
  output: IncidentList,
  run: async ({ actor, call }, query) => {
    await countSearch(actor.id, query);
    const text = call.request ? await listIncidentsAcrossEventsText(actor, query) : undefined;
    if (text) return written(text, query);
    const { incidents, total } = await listIncidentsAcrossEvents(actor, query);
    return { incidents, pagination: pagination(query, total) };
  },
});

export const showIncident = operation({
  name: "getIncident",
  summary: "One incident",
  on: incidentScope,
  rolesIn: "event",
  can: "incident.view",
  output: OneIncident,
  run: async ({ actor, incident, right, call }) => {
    const look = {
      incidentId: incident.id,
      eventId: incident.eventId,
      reporterId: incident.reporterId,
      actorId: actor.id,
      right,
    };
    await recordAccess({ ...look, kind: "view", requestId: call.requestId });
    return { incident: shownTo(actor, incident) };
  },
});

export const changeIncidentState = operation({
  name: "changeIncidentState",
  summary: "Move an incident to another state, with a note",
  on: incidentRefScope,
  rolesIn: "event",
  can: "incident.changeState",
  input: StateChange,
  output: OneIncident,
  run: async (context, change) => ({ incident: await changeState(context, context.incidentId, change) }),
});

export const reopenIncident = operation({
  name: "reopenIncident",
  summary: "Reopen a resolved or closed incident",
  on: incidentRefScope,
  rolesIn: "event",
  can: "incident.reopen",
  input: Reopening,
  output: OneIncident,
  run: async (context, reopening) => ({ incident: await reopen(context, context.incidentId, reopening) }),
});

export const changeIncident = operation({
  name: "updateIncident",
  summary: "Change assignee, severity, resolution or state",
  on: incidentRefScope,
  rolesIn: "event",
  can: "incident.update",
  input: IncidentChange,
  output: OneIncident,
  run: async (context, change) => ({ incident: await updateIncident(context, context.incidentId, change) }),
});

export const retitleIncidentById = operation({
  name: "retitleIncidentByEventId",
  summary: "Change the title: Admin, SystemAdmin, or the Reporter whose report it is",
  on: incidentRefScope,
  rolesIn: "event",
  can: "incident.retitleById",
  input: TitleChange,
  output: OneIncident,
  run: async (context, { title }) => ({ incident: await retitle(context, context.incidentId, title) }),
});

export const retitleIncidentBySlug = operation({
  name: "retitleIncidentByEventSlug",
  summary: "Change the title: the team, or the Reporter whose report it is",
  on: incidentRefScope,
  rolesIn: "event",
  can: "incident.retitleBySlug",
  input: TitleChange,
  output: OneIncident,
  run: async (context, { title }) => ({ incident: await retitle(context, context.incidentId, title) }),
});

export const listEventUserIncidents = operation({
  name: "listEventUserIncidents",
  summary: "List what a person reported, or is assigned to, in an event",
  on: eventUserScope,
  can: "event.viewUser",
  input: ListOfPerson,
  output: IncidentList.extend({ total: z.int() }),
  run: async (person, query) => {
    await mustHoldRole(person);
    const found = await listIncidentsOfUser(person.actor, person.eventId, person.userId, query);
    return { ...found, pagination: pagination(query, found.total) };
  },
});

export const showAccess = operation({
  name: "getIncidentAccess",
  summary: "Who has looked at an incident; its reporter learns how many, and on which day last",
  on: incidentRefScope,
  can: "incident.viewAccess",
  input: AccessQuery,
  output: AccessLog,
  run: (context, query) => readAccessLog(context, query),
});

export const showHistory = operation({
  name: "getIncidentHistory",
  summary: "What happened to an incident, oldest first; a Reporter sees states, messages and own files",
  on: incidentRefScope,
  can: "incident.viewHistory",
  input: HistoryQuery,
  output: History,
  run: (context, query) => readHistory(context, query),
});

/**
 * The history as the page of an incident shows it. One person may write as much as they like, so its pages are cut by
 * the length of what was said as well as by the number of entries; over HTTP there is `getIncidentHistory` only.
 */
export const showTimeline = operation({
  name: "getIncidentTimeline",
  summary: "What happened to an incident, newest first, in pages that are short enough to show",
  on: incidentRefScope,
  can: "incident.viewHistory",
  input: TimelineQuery,
  output: History,
  run: (context, query) => readTimeline(context, query),
});

/** For the page of an incident, besides the record itself. */
export const showStanding = operation({
  name: "getIncidentStanding",
  summary: "Which states an incident has been in, and whom its resolution is for",
  on: incidentRefScope,
  can: "incident.viewHistory",
  output: Progress,
  run: ({ incidentId }) => findProgress(incidentId),
});
