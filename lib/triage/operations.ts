import { z } from "zod";
import { nothing, only, operation } from "#lib/operation/operation.ts";
import { incidentIdIn, mustSee } from "#lib/pins/scope.ts";
import type { Subject } from "#lib/operation/policy.ts";
import { countSearch } from "#lib/rate-limits/rate-limits.ts";
import { pagination } from "#lib/operation/fields.ts";
import { eventScope } from "#lib/events/scope.ts";
import { ListAcrossEvents, ListByEventSlug } from "#lib/incidents/schema.ts";
import { neighboursOf, refsOf } from "#lib/incidents/neighbours.ts";
import { deskAcrossEvents, deskOfEvent } from "#lib/triage/desk.ts";
import { exportChosen, exportMatching } from "#lib/triage/exports.ts";
import { listMarks, summarize } from "#lib/triage/queries.ts";
import {
  ChosenQuery,
  DeskList,
  Marks,
  MarksQuery,
  MatchingQuery,
  Neighbours,
  NeighboursQuery,
  Refs,
  RefsQuery,
  Summary,
  SummaryQuery,
  UnreadMarking,
} from "#lib/triage/schema.ts";
import { markUnread, unmarkUnread } from "#lib/triage/unread.ts";

/** What a response team works with beside the list of incidents (contract 7.14). */

export const summarizeIncidents = operation({
  name: "summarizeIncidents",
  summary: "How many incidents there are of what, in the events whose team you are on",
  on: nothing,
  can: "incident.listAcrossEvents",
  input: SummaryQuery,
  output: Summary,
  run: ({ actor }, query) => summarize(actor, query),
});

export const listIncidentMarks = operation({
  name: "listIncidentMarks",
  summary: "What is pinned, new to you, and talked about, among these incidents",
  on: nothing,
  can: "incident.listAcrossEvents",
  input: MarksQuery,
  output: Marks,
  run: async ({ actor }, { ids }) => ({ marks: await listMarks(actor, ids) }),
});

/** For the page: `listIncidentsAcrossEvents` and `listIncidentMarks` in one, and less of each incident. */
export const listDesk = operation({
  name: "listDesk",
  summary: "The incidents of every event that you can access, as the rows of a list",
  on: nothing,
  can: "incident.listAcrossEvents",
  input: ListAcrossEvents,
  output: DeskList,
  run: async ({ actor }, query) => {
    await countSearch(actor.id, query);
    const { rows, total } = await deskAcrossEvents(actor, query);
    return { rows, pagination: pagination(query, total) };
  },
});

/** The same with `listIncidentsByEventSlug`. */
export const listDeskOfEvent = operation({
  name: "listDeskOfEvent",
  summary: "The incidents of an event, as the rows of a list; a Reporter's own only",
  on: eventScope,
  can: "incident.list",
  input: ListByEventSlug,
  output: DeskList,
  run: async ({ actor, eventId }, query) => {
    await countSearch(actor.id, query);
    const { rows, total } = await deskOfEvent(actor, eventId, query);
    return { rows, pagination: pagination(query, total) };
  },
});

export const markIncidentUnread = operation({
  name: "markIncidentUnread",
  summary: "Mark an incident as new to you, until you open it again",
  on: nothing,
  can: "unread.own",
  input: UnreadMarking,
  output: z.undefined(),
  status: 204,
  run: async ({ actor }, marked) => {
    await mustSee(actor, marked);
    await markUnread(actor.id, marked.incidentId);
    return undefined;
  },
});

export const unmarkIncidentUnread = operation({
  name: "unmarkIncidentUnread",
  summary: "Remove the mark of an incident, if it is there",
  on: only(async (params): Promise<Subject & { incidentId: string }> => ({
    incidentId: incidentIdIn(params.incidentId),
  })),
  can: "unread.own",
  output: z.undefined(),
  status: 204,
  run: async ({ actor, incidentId }) => {
    await unmarkUnread(actor.id, incidentId);
    return undefined;
  },
});

export const exportChosenIncidents = operation({
  name: "exportChosenIncidents",
  summary: "Chosen incidents of events whose team you are on, as CSV",
  on: nothing,
  can: "incident.exportChosen",
  input: ChosenQuery,
  output: null,
  produces: ["text/csv"],
  limit: "search",
  run: ({ actor, call }, { ids }) => exportChosen({ actor, requestId: call.requestId }, ids),
});

export const exportMatchingIncidents = operation({
  name: "exportMatchingIncidents",
  summary: "All incidents that match, in the events whose team you are on, as CSV",
  on: nothing,
  can: "incident.exportChosen",
  input: MatchingQuery,
  output: null,
  produces: ["text/csv"],
  limit: "search",
  run: ({ actor, call }, query) => exportMatching({ actor, requestId: call.requestId }, query),
});

export const listNeighbours = operation({
  name: "listNeighbours",
  summary: "What stands before and after an incident in a list",
  on: nothing,
  can: "incident.listAcrossEvents",
  input: NeighboursQuery,
  output: Neighbours,
  run: async ({ actor }, { incidentId, ...query }) => {
    await countSearch(actor.id, query);
    return neighboursOf(actor, incidentId, query);
  },
});

export const listIncidentRefs = operation({
  name: "listIncidentRefs",
  summary: "All that match, by id and version, in parts; in the events whose team you are on",
  on: nothing,
  can: "incident.listAcrossEvents",
  input: RefsQuery,
  output: Refs,
  run: async ({ actor }, { after, ...query }) => {
    await countSearch(actor.id, query);
    const { refs, complete } = await refsOf(actor, query, after);
    const placed = refs.map((ref) => ({ ...ref, place: `${ref.createdAt.toISOString()}_${ref.id}` }));
    return { refs: placed, complete };
  },
});
