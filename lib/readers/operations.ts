import { z } from "zod";
import { answerConflictCheck, saveReportedPersonName } from "#lib/readers/conflict-check.ts";
import * as conflicts from "#lib/readers/conflict-queries.ts";
import { listEmergencies } from "#lib/readers/emergency-queries.ts";
import { openInEmergency } from "#lib/readers/emergency.ts";
import {
  endReaderList,
  hideIncidentFromPerson,
  letLaterPersonIn,
  letPersonInAgain,
  stepOutOfIncident,
} from "#lib/readers/hiding.ts";
import {
  type ReaderContext,
  loadReaderSummary,
  listOrganizationMembersToHideFrom,
  listHiddenFromForActor,
  listIncidentReaders as listReaders,
} from "#lib/readers/queries.ts";
import { listIncidentsClosedToPerson } from "#lib/readers/closed-queries.ts";
import {
  listOutsideIncidents,
  listIncidentsWithoutReader as listWithoutReader,
} from "#lib/readers/outside-person-queries.ts";
import {
  ConflictCheckResponse,
  EmergencyInput,
  EmergencyResponse,
  ReaderList,
  type ReaderListRecord,
  ReaderInput,
  StepOutInput,
  OutsideIncidentList,
  IncidentWithoutReaderList,
  ClosedIncidents,
  NewConflictAnswerInput,
  ReportedPersonNameInput,
  UnansweredIncidentList,
  UnansweredIncidentsQuery,
} from "#lib/readers/schema.ts";
import {
  incidentWithoutContentScope,
  requireIncidentWithoutContent,
  incidentScopeBeforeConflictCheck,
  incidentScopeInEmergency,
  type IncidentWithoutContentPermissionSubject,
} from "#lib/incidents/scope.ts";
import { requireEventUser } from "#lib/events/queries.ts";
import { eventUserScope, type EventPermissionSubject } from "#lib/events/scope.ts";
import { globalScope, defineOperation, type OperationScopeResolvers } from "#lib/operation/operation.ts";
import { parsePathIdOrNilUuid } from "#lib/operation/path-params.ts";

/** Who can read an incident (contract 16). */

async function showReaders(
  context: ReaderContext & Pick<IncidentWithoutContentPermissionSubject, "inEmergency">,
): Promise<ReaderListRecord> {
  const [summary, readers, { hiddenFrom, canEnd }, emergencies, organizationMembers] = await Promise.all([
    loadReaderSummary(context.incidentId),
    listReaders(context),
    listHiddenFromForActor(context),
    listEmergencies(context),
    listOrganizationMembersToHideFrom(context),
  ]);
  const canEndList = summary.listed && canEnd;
  const { inEmergency } = context;
  return { ...summary, inEmergency, canEndList, readers, hiddenFrom, emergencies, organizationMembers };
}

export const listIncidentReaders = defineOperation({
  name: "listIncidentReaders",
  summary:
    "List who can read an incident, and from whom it is hidden; its reporter sees who, the team also why",
  on: incidentWithoutContentScope,
  can: "incident.viewReaders",
  output: ReaderList,
  run: (context) => showReaders(context),
});

type ReaderSubject = IncidentWithoutContentPermissionSubject & { userId: string };

const readerScope: OperationScopeResolvers<EventPermissionSubject, ReaderSubject> = {
  container: incidentWithoutContentScope.container,
  inside: async (event, params, actor) => ({
    ...(await requireIncidentWithoutContent(event, params, actor)),
    userId: parsePathIdOrNilUuid(params.userId),
  }),
};

export const putIncidentReader = defineOperation({
  name: "putIncidentReader",
  summary:
    "Hide an incident from somebody on the response team or in the organization, who isn't told, or let them in again",
  on: readerScope,
  rolesIn: "event",
  can: "incident.hide",
  input: ReaderInput,
  output: ReaderList,
  run: async (context, { access, reason }) => {
    const { userId } = context;
    await (access === "none"
      ? hideIncidentFromPerson(context, { userId, reason })
      : letPersonInAgain(context, userId));
    return showReaders(context);
  },
});

export const deleteReaderList = defineOperation({
  name: "deleteReaderList",
  summary:
    "End the list of an incident's readers: its whole team reads it again, whoever stepped out excepted",
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "incident.hide",
  output: ReaderList,
  errors: ["NOT_FOUND"],
  run: async (context) => {
    await endReaderList(context);
    return showReaders(context);
  },
});

export const listIncidentsClosedToEventUser = defineOperation({
  name: "listIncidentsClosedToEventUser",
  summary: "List the hidden incidents that you read and somebody who joined the team later doesn't",
  on: eventUserScope,
  can: "event.manageRoles",
  output: ClosedIncidents,
  run: async (context) => {
    await requireEventUser(context);
    return listIncidentsClosedToPerson(context);
  },
});

export const letEventUserIn = defineOperation({
  name: "letEventUserIn",
  summary:
    "Let somebody who joined the team later in to the hidden incidents that you read, up to 100 at a time",
  on: eventUserScope,
  can: "event.manageRoles",
  output: ClosedIncidents,
  run: async (context) => {
    const { userId } = context;
    await requireEventUser(context);
    const { incidents } = await listIncidentsClosedToPerson(context);
    for (const { id: incidentId, reporterId } of incidents)
      await letLaterPersonIn({ ...context, incidentId, reporterId }, userId);
    return listIncidentsClosedToPerson(context);
  },
});

export const stepOut = defineOperation({
  name: "stepOut",
  summary: "Step out of an incident: you don't see it until another Admin lets you in again",
  on: incidentScopeBeforeConflictCheck,
  rolesIn: "event",
  can: "incident.stepOut",
  input: StepOutInput,
  output: z.undefined(),
  status: 204,
  run: async (context, { reason }) => {
    await stepOutOfIncident(context, reason);
    return undefined;
  },
});

export const openIncidentInEmergency = defineOperation({
  name: "openIncidentInEmergency",
  summary:
    "Open an incident that is closed to you, for 24 hours, with a reason; the team and the reporter are notified",
  on: incidentScopeInEmergency,
  rolesIn: "event",
  can: "incident.openInEmergency",
  input: EmergencyInput,
  output: EmergencyResponse,
  errors: ["INVALID_STATE_TRANSITION"],
  run: (context, input) => openInEmergency(context, input),
});

export const listOwnOutsideIncidents = defineOperation({
  name: "listOwnOutsideIncidents",
  summary: "List the incidents that you read as an outside person, newest first",
  on: globalScope,
  can: "outsideIncident.own",
  output: OutsideIncidentList,
  run: async ({ actor }) => ({ incidents: await listOutsideIncidents(actor) }),
});

export const listIncidentsWithoutReader = defineOperation({
  name: "listIncidentsWithoutReader",
  summary: "List the hidden incidents that nobody on a team, nor an outside person, can read right now",
  on: globalScope,
  can: "admin.listUnreadIncidents",
  output: IncidentWithoutReaderList,
  run: async ({ actor }) => ({ incidents: await listWithoutReader(actor) }),
});

export const listUnansweredIncidents = defineOperation({
  name: "listUnansweredIncidents",
  summary: "List the open incidents that wait for your answer to their conflict check",
  on: globalScope,
  can: "incident.listUnanswered",
  input: UnansweredIncidentsQuery,
  output: UnansweredIncidentList,
  incidentsByRole: ({ event }) => ({ events: event === undefined ? undefined : [event] }),
  run: ({ actor }, query) => conflicts.listUnansweredIncidents(actor, query),
});

export const showConflictCheck = defineOperation({
  name: "showConflictCheck",
  summary: "Show your answer to an incident's conflict check, and what you may know of it before you answer",
  on: incidentScopeBeforeConflictCheck,
  rolesIn: "event",
  can: "incident.answerConflictCheck",
  output: ConflictCheckResponse,
  run: async (context) => ({ conflictCheck: await conflicts.loadConflictCheck(context) }),
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
