import { z } from "zod";
import { ERROR_CODES_FOR_EVENT_IN_INPUT } from "#lib/operation/errors.ts";
import { globalScope, createContainerScope, defineOperation } from "#lib/operation/operation.ts";
import { parsePathIncidentId, assertVisibleIncident } from "#lib/incidents/pin-scope.ts";
import type { PermissionSubject } from "#lib/operation/policy.ts";
import { consumeSearchLimit } from "#lib/rate-limits/rate-limits.ts";
import { buildPaginationFromTotal } from "#lib/operation/fields.ts";
import { eventScope } from "#lib/events/scope.ts";
import { IncidentsByEventSlugQuery } from "#lib/incidents/list-schema.ts";
import { loadAdjacentIncidents, listFilteredTeamIncidentsBatch } from "#lib/incidents/adjacent-queries.ts";
import { listInboxRowsAcrossEvents, listEventInboxRows } from "#lib/incidents/inbox.ts";
import { listInboxFilterPeople } from "#lib/incidents/people-queries.ts";
import { listInboxRowMarkers, loadIncidentCounts } from "#lib/incidents/inbox-queries.ts";
import {
  InboxAcrossEventsQuery,
  InboxList,
  InboxFilterPeople,
  InboxFilterPeopleQuery,
  IncidentMarks,
  IncidentMarksQuery,
  AdjacentIncidents,
  AdjacentIncidentsQuery,
  IncidentRefList,
  IncidentRefListQuery,
  IncidentCountsSummary,
  IncidentSummaryQuery,
  NewUnreadMarkerInput,
} from "#lib/incidents/inbox-schema.ts";
import { addUnreadMarker, removeUnreadMarker } from "#lib/incidents/unread.ts";

/** Operations of a response team besides the list of incidents (contract 7.14). */

export const summarizeIncidents = defineOperation({
  name: "summarizeIncidents",
  summary: "Count incidents by status, severity and more, in the events whose team you are on",
  on: globalScope,
  can: "incident.listAcrossEvents",
  input: IncidentSummaryQuery,
  output: IncidentCountsSummary,
  incidentsByRole: ({ event }) => ({ events: event }),
  run: ({ actor }, query) => loadIncidentCounts(actor, query),
});

export const listIncidentMarks = defineOperation({
  name: "listIncidentMarks",
  summary: "Show whether each of these incidents is pinned or unread, its messages and its deadline",
  on: globalScope,
  can: "incident.listAcrossEvents",
  input: IncidentMarksQuery,
  output: IncidentMarks,
  incidentsByRole: ({ ids }) => ({ ids }),
  run: async ({ actor }, { ids }) => ({ marks: await listInboxRowMarkers(actor, ids) }),
});

/**
 * For the inbox page: combines `listIncidentsAcrossEvents` and `listIncidentMarks`, with fewer fields of each incident.
 */
export const listInbox = defineOperation({
  name: "listInbox",
  summary: "List the incidents of every event that you can access, as rows",
  on: globalScope,
  can: "incident.listAcrossEvents",
  input: InboxAcrossEventsQuery,
  output: InboxList,
  incidentsByRole: ({ event, ids }) => ({ events: event, ids }),
  run: async ({ actor }, query) => {
    await consumeSearchLimit(actor.id, query);
    const { rows, total } = await listInboxRowsAcrossEvents(actor, query);
    return { rows, pagination: buildPaginationFromTotal(query, total) };
  },
});

/**
 * For an event's inbox page: combines `listIncidentsByEventSlug` and `listIncidentMarks`, with fewer fields of each
 * incident.
 */
export const listEventInbox = defineOperation({
  name: "listEventInbox",
  summary: "List the incidents of an event as rows; a Reporter sees only their own",
  on: eventScope,
  can: "incident.list",
  input: IncidentsByEventSlugQuery,
  output: InboxList,
  run: async ({ actor, eventId }, query) => {
    await consumeSearchLimit(actor.id, query);
    const { rows, total } = await listEventInboxRows(actor, eventId, query);
    return { rows, pagination: buildPaginationFromTotal(query, total) };
  },
});

/** For the inbox page: the people by whom its filters can select incidents, as assignee or as reporter. */
export const listInboxPeople = defineOperation({
  name: "listInboxPeople",
  summary: "List who is assigned to and who reports incidents in the events whose team you are on",
  on: globalScope,
  can: "incident.listAcrossEvents",
  input: InboxFilterPeopleQuery,
  output: InboxFilterPeople,
  incidentsByRole: ({ event }) => ({ events: event, team: true }),
  run: ({ actor }, query) => listInboxFilterPeople(actor, query),
});

export const markIncidentUnread = defineOperation({
  name: "markIncidentUnread",
  summary: "Mark an incident as unread until you open it again",
  on: globalScope,
  can: "unread.own",
  input: NewUnreadMarkerInput,
  output: z.undefined(),
  status: 204,
  errors: ERROR_CODES_FOR_EVENT_IN_INPUT,
  incidentsByRole: ({ incidentId, eventId }) => ({ events: [eventId], ids: [incidentId] }),
  run: async ({ actor }, input) => {
    await assertVisibleIncident(actor, input);
    await addUnreadMarker(actor.id, input.incidentId);
    return undefined;
  },
});

export const unmarkIncidentUnread = defineOperation({
  name: "unmarkIncidentUnread",
  summary: "Remove the unread mark of an incident",
  on: createContainerScope(async (params): Promise<PermissionSubject & { incidentId: string }> => ({
    incidentId: parsePathIncidentId(params.incidentId),
  })),
  can: "unread.own",
  output: z.undefined(),
  status: 204,
  run: async ({ actor, incidentId }) => {
    await removeUnreadMarker(actor.id, incidentId);
    return undefined;
  },
});

export const listAdjacentIncidents = defineOperation({
  name: "listAdjacentIncidents",
  summary: "Show the incidents before and after an incident in a list",
  on: globalScope,
  can: "incident.listAcrossEvents",
  input: AdjacentIncidentsQuery,
  output: AdjacentIncidents,
  errors: ["NOT_FOUND"],
  incidentsByRole: ({ event }) => ({ events: event }),
  run: async ({ actor }, { incidentId, ...query }) => {
    await consumeSearchLimit(actor.id, query);
    return loadAdjacentIncidents(actor, incidentId, query);
  },
});

export const listIncidentRefs = defineOperation({
  name: "listIncidentRefs",
  summary: "List all matching incidents by id and version, in parts, in the events whose team you are on",
  on: globalScope,
  can: "incident.listAcrossEvents",
  input: IncidentRefListQuery,
  output: IncidentRefList,
  incidentsByRole: ({ event }) => ({ events: event, team: true }),
  run: async ({ actor }, { after, ...query }) => {
    await consumeSearchLimit(actor.id, query);
    const { refs, complete } = await listFilteredTeamIncidentsBatch(actor, query, after);
    const refsWithCursor = refs.map((ref) => ({ ...ref, place: `${ref.createdAt.toISOString()}_${ref.id}` }));
    return { refs: refsWithCursor, complete };
  },
});
