import { z } from "zod";
import { nothing, only, operation } from "#lib/operation/operation.ts";
import { id, idOut } from "#lib/operation/fields.ts";
import { listPins } from "#lib/incidents/queries.ts";
import { pin, unpin } from "#lib/pins/pins.ts";
import { incidentIdIn, mustBelong, mustSee } from "#lib/pins/scope.ts";
import type { Subject } from "#lib/operation/policy.ts";

/** Pins: the caller must be allowed to view the incident in the event (contract 7.14). */

export const listMyPins = operation({
  name: "listPins",
  summary: "The incidents that you have pinned, in one event or in all",
  on: nothing,
  can: "pin.own",
  input: z.object({ eventId: id.optional() }),
  output: z.object({ incidentIds: z.array(idOut) }),
  run: async ({ actor }, { eventId }) => {
    if (eventId) await mustBelong(actor, eventId);
    return { incidentIds: await listPins(actor, eventId) };
  },
});

export const pinIncident = operation({
  name: "pinIncident",
  summary: "Pin an incident",
  on: nothing,
  can: "pin.own",
  input: z.object({ incidentId: id, eventId: id }),
  output: z.undefined(),
  status: 204,
  run: async ({ actor }, { incidentId, eventId }) => {
    await mustSee(actor, { incidentId, eventId });
    await pin(actor.id, { incidentId, eventId });
    return undefined;
  },
});

export const unpinIncident = operation({
  name: "unpinIncident",
  summary: "Remove a pin, if it is there",
  on: only(async (params): Promise<Subject & { incidentId: string }> => ({
    incidentId: incidentIdIn(params.incidentId),
  })),
  can: "pin.own",
  output: z.undefined(),
  status: 204,
  run: async ({ actor, incidentId }) => {
    await unpin(actor.id, incidentId);
    return undefined;
  },
});
