import { z } from "zod";
import { answerConflictCheck, saveReportedPersonName } from "#lib/conflicts/conflicts.ts";
import * as queries from "#lib/conflicts/queries.ts";
import {
  ConflictCheckResponse,
  NewConflictAnswerInput,
  ReportedPersonNameInput,
  UnansweredIncidentList,
  UnansweredIncidentsQuery,
} from "#lib/conflicts/schema.ts";
import { incidentWithoutContentScope, incidentScopeBeforeConflictCheck } from "#lib/incidents/scope.ts";
import { defineOperation, globalScope } from "#lib/operation/operation.ts";

/** The conflict check (contract 16.9). */

export const listUnansweredIncidents = defineOperation({
  name: "listUnansweredIncidents",
  summary: "List the open incidents that wait for your answer to their conflict check",
  on: globalScope,
  can: "incident.listUnanswered",
  input: UnansweredIncidentsQuery,
  output: UnansweredIncidentList,
  incidentsByRole: ({ event }) => ({ events: event === undefined ? undefined : [event] }),
  run: ({ actor }, query) => queries.listUnansweredIncidents(actor, query),
});

export const showConflictCheck = defineOperation({
  name: "showConflictCheck",
  summary: "Show your answer to an incident's conflict check, and what you may know of it before you answer",
  on: incidentScopeBeforeConflictCheck,
  rolesIn: "event",
  can: "incident.answerConflictCheck",
  output: ConflictCheckResponse,
  run: async (context) => ({ conflictCheck: await queries.loadConflictCheck(context) }),
});

export const postConflictAnswer = defineOperation({
  name: "postConflictAnswer",
  summary: "Answer the conflict check: `none` and `soft` open the incident, `hard` steps you out",
  on: incidentScopeBeforeConflictCheck,
  rolesIn: "event",
  can: "incident.answerConflictCheck",
  input: NewConflictAnswerInput,
  output: z.undefined(),
  status: 204,
  errors: ["INVALID_STATE_TRANSITION"],
  run: async (context, answer) => {
    await answerConflictCheck(context, answer);
    return undefined;
  },
});

export const putReportedPerson = defineOperation({
  name: "putReportedPerson",
  summary: "Say whom the report is about, for those who haven't answered the conflict check",
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "incident.update",
  input: ReportedPersonNameInput,
  output: z.undefined(),
  status: 204,
  run: async (context, change) => {
    await saveReportedPersonName(context, change);
    return undefined;
  },
});
