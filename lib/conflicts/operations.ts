import { z } from "zod";
import {
  answerConflictCheck,
  bypassConflictCheck,
  saveReportedPersonName,
  reviewBypass,
} from "#lib/conflicts/conflicts.ts";
import { loadConflictCheck } from "#lib/conflicts/queries.ts";
import {
  ConflictCheckResponse,
  NewConflictCheckBypassInput,
  NewConflictAnswerInput,
  ReportedPersonNameInput,
} from "#lib/conflicts/schema.ts";
import type { EventPermissionSubject } from "#lib/events/scope.ts";
import {
  incidentWithoutContentScope,
  requireIncidentWithoutContent,
  requireIncidentBeforeConflictCheck,
  incidentScopeBeforeConflictCheck,
  type IncidentWithoutContentPermissionSubject,
} from "#lib/incidents/scope.ts";
import { defineOperation, type OperationScopeResolvers } from "#lib/operation/operation.ts";
import { parsePathIdOrNilUuid } from "#lib/operation/path-params.ts";

/** The conflict check (contract 18). */

export const showConflictCheck = defineOperation({
  name: "showConflictCheck",
  summary:
    "Show an incident's conflict check: your answer and whom the report is about; once it is open, all answers",
  on: incidentScopeBeforeConflictCheck,
  rolesIn: "event",
  can: "incident.answerConflictCheck",
  output: ConflictCheckResponse,
  run: async (context) => ({ conflictCheck: await loadConflictCheck(context) }),
});

export const putConflictAnswer = defineOperation({
  name: "putConflictAnswer",
  summary: "Answer the conflict check: `none` and `soft` open the incident, `hard` recuses you",
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

export const createConflictBypass = defineOperation({
  name: "createConflictBypass",
  summary: "Open an incident without answering the conflict check, for a reason that two others review",
  on: incidentScopeBeforeConflictCheck,
  rolesIn: "event",
  can: "incident.answerConflictCheck",
  input: NewConflictCheckBypassInput,
  output: z.undefined(),
  status: 204,
  errors: ["INVALID_STATE_TRANSITION"],
  run: async (context, bypass) => {
    await bypassConflictCheck(context, bypass);
    return undefined;
  },
});

/** For readers of the incident, and for whoever only reviews how it was opened. */
const bypassScope: OperationScopeResolvers<
  EventPermissionSubject,
  IncidentWithoutContentPermissionSubject & { bypassId: string }
> = {
  container: incidentWithoutContentScope.container,
  inside: async (event, params, actor) => ({
    ...(await (actor?.onlyReviews ? requireIncidentBeforeConflictCheck : requireIncidentWithoutContent)(
      event,
      params,
      actor,
    )),
    bypassId: parsePathIdOrNilUuid(params.bypassId),
  }),
};

export const createBypassReview = defineOperation({
  name: "createBypassReview",
  summary: "State that you reviewed why somebody opened an incident without answering the conflict check",
  on: bypassScope,
  rolesIn: "event",
  can: "incident.answerConflictCheck",
  output: z.undefined(),
  status: 204,
  run: async (context) => {
    await reviewBypass(context);
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
