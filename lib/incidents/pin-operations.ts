import { z } from "zod";
import { ERROR_CODES_FOR_EVENT_IN_INPUT } from "#lib/operation/errors.ts";
import { globalScope, createContainerScope, defineOperation } from "#lib/operation/operation.ts";
import { idInput, idOutput } from "#lib/operation/fields.ts";
import { listPinnedIncidentIds } from "#lib/incidents/list-queries.ts";
import { addPin, removePin } from "#lib/incidents/pins.ts";
import { parsePathIncidentId, assertEventAccess, assertVisibleIncident } from "#lib/incidents/pin-scope.ts";
import type { PermissionSubject } from "#lib/operation/policy.ts";

/** Pins: the caller must be allowed to view the incident in the event (contract 7.14). */

export const listPins = defineOperation({
  name: "listPins",
  summary: "List the incidents that you have pinned, in one event or in all",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "pin.own",
  input: z.object({ eventId: idInput.optional() }),
  output: z.object({ incidentIds: z.array(idOutput) }),
  errors: ERROR_CODES_FOR_EVENT_IN_INPUT,
  incidentsByRole: ({ eventId }) => (eventId ? { events: [eventId] } : {}),
  run: async ({ actor }, { eventId }) => {
    if (eventId) await assertEventAccess(actor, eventId);
    return { incidentIds: await listPinnedIncidentIds(actor, eventId) };
  },
});

export const pinIncident = defineOperation({
  name: "pinIncident",
  summary: "Pin an incident",
  ignoresUnknownNames: true,
  on: globalScope,
  can: "pin.own",
  input: z.object({ incidentId: idInput, eventId: idInput }),
  output: z.undefined(),
  status: 204,
  errors: ERROR_CODES_FOR_EVENT_IN_INPUT,
  incidentsByRole: ({ incidentId, eventId }) => ({ events: [eventId], ids: [incidentId] }),
  run: async ({ actor }, { incidentId, eventId }) => {
    await assertVisibleIncident(actor, { incidentId, eventId });
    await addPin(actor.id, { incidentId, eventId });
    return undefined;
  },
});

export const unpinIncident = defineOperation({
  name: "unpinIncident",
  summary: "Unpin an incident",
  ignoresUnknownNames: true,
  on: createContainerScope(async (params): Promise<PermissionSubject & { incidentId: string }> => ({
    incidentId: parsePathIncidentId(params.incidentId),
  })),
  can: "pin.own",
  output: z.undefined(),
  status: 204,
  run: async ({ actor, incidentId }) => {
    await removePin(actor.id, incidentId);
    return undefined;
  },
});
