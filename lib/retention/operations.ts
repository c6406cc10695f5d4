import {
  incidentWithoutContentScope,
  type IncidentWithoutContentPermissionSubject,
} from "#lib/incidents/scope.ts";
import { defineOperation } from "#lib/operation/operation.ts";
import { hasTeamAccessToEvent, type Actor } from "#lib/operation/policy.ts";
import { organizationScope } from "#lib/organizations/scope.ts";
import * as holds from "./holds.ts";
import {
  canReleaseHold,
  loadIncidentRetention,
  loadRetentionRules,
  loadScheduledDeletionCountsByMonth,
} from "./queries.ts";
import { saveRetentionRules } from "./rules.ts";
import {
  IncidentRetentionResponse,
  NewRetentionHoldInput,
  RetentionRulesAndSchedule,
  RetentionPreviewQuery,
  RetentionRulesChangeInput,
  type IncidentRetention,
} from "./schema.ts";

/** Retention of finished reports by the rules of their organization (contract 17). */

export const showRetention = defineOperation({
  name: "showRetention",
  summary: "Show when an organization's finished reports are deleted, and how many go in which month",
  on: organizationScope,
  can: "organization.view",
  input: RetentionPreviewQuery,
  output: RetentionRulesAndSchedule,
  limit: "search",
  run: async ({ organizationId, actor }, unsaved) => {
    const rules = await loadRetentionRules(organizationId);
    const isPreview = Object.keys(unsaved).length > 0;
    return {
      rules,
      schedule: await loadScheduledDeletionCountsByMonth(
        { organizationId, reader: actor },
        isPreview ? { ...rules, ...unsaved } : undefined,
      ),
    };
  },
});

export const updateRetention = defineOperation({
  name: "updateRetention",
  summary: "Change when an organization's finished reports are deleted; nothing goes within 30 days of it",
  on: organizationScope,
  can: "organization.update",
  input: RetentionRulesChangeInput,
  output: RetentionRulesAndSchedule,
  run: async (context, change) => {
    await saveRetentionRules(context, change);
    const { organizationId } = context;
    return {
      rules: await loadRetentionRules(organizationId),
      schedule: await loadScheduledDeletionCountsByMonth({
        organizationId,
        reader: context.actor,
      }),
    };
  },
});

export const showIncidentRetention = defineOperation({
  name: "showIncidentRetention",
  summary: "Show when an incident is deleted and why, and the hold on it",
  on: incidentWithoutContentScope,
  can: "incident.viewAccess",
  output: IncidentRetentionResponse,
  run: async (context) => ({ retention: await loadRetentionForReader(context) }),
});

export const setHold = defineOperation({
  name: "setHold",
  summary: "Keep an incident from being deleted, or change the reason and day of review of its hold",
  on: incidentWithoutContentScope,
  can: "incident.update",
  input: NewRetentionHoldInput,
  output: IncidentRetentionResponse,
  run: async (context, hold) => {
    await holds.setHold(context, hold);
    return { retention: await loadRetentionForReader(context) };
  },
});

export const releaseHold = defineOperation({
  name: "releaseHold",
  summary: "Release the hold on an incident; whoever set it can't, unless nobody else on the team could",
  on: incidentWithoutContentScope,
  can: "incident.update",
  output: IncidentRetentionResponse,
  errors: ["NOT_FOUND", "FORBIDDEN"],
  run: async (context) => {
    await holds.releaseHold(context);
    return { retention: await loadRetentionForReader(context) };
  },
});

type IncidentContext = IncidentWithoutContentPermissionSubject & { actor: Actor };

/** Reporters learn the day and whether there is a hold, but not who set it or why. */
async function loadRetentionForReader({
  incidentId,
  eventId,
  actor,
}: IncidentContext): Promise<IncidentRetention> {
  const { hold, ...date } = await loadIncidentRetention(incidentId);
  if (!hold || !hasTeamAccessToEvent(actor, eventId)) return { ...date, hold: null };
  const { heldById, heldByName, ...shown } = hold;
  return {
    ...date,
    hold: {
      ...shown,
      heldBy: heldById && heldByName ? { id: heldById, name: heldByName } : null,
      canRelease: await canReleaseHold({ eventId, incidentId }, { heldById, userId: actor.id }),
    },
  };
}
