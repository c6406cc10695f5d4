import { eventScope } from "#lib/events/scope.ts";
import { recordIncidentAccessByOperation } from "#lib/incidents/access.ts";
import { IncidentResponse } from "#lib/incidents/schema.ts";
import { incidentWithoutContentScope } from "#lib/incidents/scope.ts";
import { confirmIntake as confirmTakenReport, fileIntake } from "#lib/conversations/intakes.ts";
import { findIntake } from "#lib/conversations/intake-queries.ts";
import {
  IncidentWithReceiptResponse,
  ConfirmedIntakeText,
  IntakeResponse,
  NewIntakeInput,
} from "#lib/conversations/intake-schema.ts";
import { defineOperation } from "#lib/operation/operation.ts";

/** Reports that a team member writes down for somebody (contract 14.4). */

const locateIncident = ({ incident: { id, eventId } }: { incident: { id: string; eventId: string } }) =>
  `/api/events/${eventId}/incidents/${id}`;

export const createIntake = defineOperation({
  name: "createIntake",
  summary: "Take a report for somebody who tells it; it has no reporter, and counts as unconfirmed",
  on: eventScope,
  rolesIn: "event",
  can: "intake.take",
  input: NewIntakeInput,
  output: IncidentResponse,
  status: 201,
  location: locateIncident,
  once: "verb",
  limit: "report",
  run: async (context, input) => ({ incident: await fileIntake(context, input) }),
});

export const showIntake = defineOperation({
  name: "showIntake",
  summary: "Show who took a report, how, and what was done for the person; for the team",
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "incident.readTeamNotes",
  output: IntakeResponse,
  run: async (context) => {
    await recordIncidentAccessByOperation(context, { kind: "view" });
    const intake = await findIntake(context.incidentId, context.actor.id);
    const canConfirm = intake?.canConfirm === true && !context.inEmergency;
    return { intake: intake && { ...intake, canConfirm } };
  },
});

export const confirmIntake = defineOperation({
  name: "confirmIntake",
  summary: "Record that the person has read and confirmed their report; the response has their receipt",
  on: incidentWithoutContentScope,
  rolesIn: "event",
  can: "intake.handOver",
  input: ConfirmedIntakeText,
  output: IncidentWithReceiptResponse,
  once: "verb",
  errors: ["INVALID_STATE_TRANSITION", "FORBIDDEN"],
  run: (context, text) => confirmTakenReport(context, text),
});
