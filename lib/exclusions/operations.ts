import { z } from "zod";
import { breakGlass } from "#lib/exclusions/break-glass.ts";
import {
  excludePersonFromIncident,
  liftExclusion,
  recuseActorFromIncident,
} from "#lib/exclusions/exclusions.ts";
import {
  type ExclusionContext,
  findEscalationContactWhoReadsIncident,
  hasIncidentReaderBesidesReporter,
  listExcludableOrganizationMembers,
  listIncidentExclusionsForActor,
  listReferralsToActor,
  listIncidentsWithoutReader as listWithoutReader,
} from "#lib/exclusions/queries.ts";
import {
  BreakGlassOpeningInput,
  BreakGlassResponse,
  ExclusionList,
  type ExclusionListRecord,
  NewExclusionInput,
  NewRecusalInput,
  ReferralList,
  IncidentWithoutReaderList,
} from "#lib/exclusions/schema.ts";
import {
  incidentWithoutContentScope,
  requireIncidentWithoutContent,
  incidentScopeBeforeConflictCheck,
  type IncidentWithoutContentPermissionSubject,
} from "#lib/incidents/scope.ts";
import type { EventPermissionSubject } from "#lib/events/scope.ts";
import { globalScope, defineOperation, type OperationScopeResolvers } from "#lib/operation/operation.ts";
import { parsePathIdOrNilUuid } from "#lib/operation/path-params.ts";

/** Exclusions: people who must not see an incident (contract 16). */

async function showExclusions(context: ExclusionContext): Promise<ExclusionListRecord> {
  const [exclusions, referredTo, isRead, organizationMembers] = await Promise.all([
    listIncidentExclusionsForActor(context),
    findEscalationContactWhoReadsIncident(context.incidentId),
    hasIncidentReaderBesidesReporter(context.incidentId),
    listExcludableOrganizationMembers(context),
  ]);
  return { exclusions, referredTo, hasReader: isRead, organizationMembers };
}

export const listIncidentExclusions = defineOperation({
  name: "listIncidentExclusions",
  summary: "List the people who must not see an incident; its reporter sees who, the team also why",
  on: incidentWithoutContentScope,
  can: "incident.viewExclusions",
  output: ExclusionList,
  run: (context) => showExclusions(context),
});

export const createExclusion = defineOperation({
  name: "createExclusion",
  summary: "Hide an incident from somebody on the response team or in the organization, who isn't told",
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "incident.exclude",
  input: NewExclusionInput,
  output: ExclusionList,
  run: async (context, exclusion) => {
    await excludePersonFromIncident(context, exclusion);
    return showExclusions(context);
  },
});

type ExclusionSubject = IncidentWithoutContentPermissionSubject & { userId: string };

const exclusionScope: OperationScopeResolvers<EventPermissionSubject, ExclusionSubject> = {
  container: incidentWithoutContentScope.container,
  inside: async (event, params, actor) => ({
    ...(await requireIncidentWithoutContent(event, params, actor)),
    userId: parsePathIdOrNilUuid(params.userId),
  }),
};

export const deleteExclusion = defineOperation({
  name: "deleteExclusion",
  summary: "Let somebody see an incident again that was hidden from them",
  on: exclusionScope,
  rolesIn: "event",
  can: "incident.exclude",
  output: z.undefined(),
  status: 204,
  run: async (context) => {
    await liftExclusion(context, context.userId);
    return undefined;
  },
});

export const createRecusal = defineOperation({
  name: "createRecusal",
  summary: "Recuse yourself from an incident: you don't see it until another Admin lifts it",
  on: incidentScopeBeforeConflictCheck,
  rolesIn: "event",
  can: "incident.recuse",
  input: NewRecusalInput,
  output: z.undefined(),
  status: 204,
  run: async (context, { reason }) => {
    await recuseActorFromIncident(context, reason);
    return undefined;
  },
});

export const openHiddenIncident = defineOperation({
  name: "openHiddenIncident",
  summary: "Open an incident that is hidden from you for a day, giving a reason that its team reads",
  on: globalScope,
  can: "admin.breakGlass",
  input: BreakGlassOpeningInput,
  output: BreakGlassResponse,
  errors: ["NOT_FOUND"],
  run: (context, request) => breakGlass(context, request),
});

export const listOwnReferrals = defineOperation({
  name: "listOwnReferrals",
  summary: "List the incidents that you read as an escalation contact, newest first",
  on: globalScope,
  can: "referral.own",
  output: ReferralList,
  run: async ({ actor }) => ({ referrals: await listReferralsToActor(actor) }),
});

export const listIncidentsWithoutReader = defineOperation({
  name: "listIncidentsWithoutReader",
  summary: "List the hidden incidents that nobody on a team, nor an escalation contact, can read right now",
  on: globalScope,
  can: "admin.breakGlass",
  output: IncidentWithoutReaderList,
  run: async ({ actor }) => ({ incidents: await listWithoutReader(actor) }),
});
