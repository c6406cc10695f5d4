import { z } from "zod";
import { operation } from "#lib/operation/operation.ts";
import { idOut } from "#lib/operation/fields.ts";
import { db } from "#lib/database/client.ts";
import { incidentRefScope } from "#lib/incidents/scope.ts";
import { announce, DOINGS } from "#lib/outbox/broadcast.ts";
import { hub } from "#lib/live/hub.ts";

/** Who of the team is at an incident at the moment: told to one another, and written down nowhere. */

export const Presence = z.object({
  doing: z.enum(DOINGS, `must be one of ${DOINGS.join(", ")}`),
});

export const Present = z.object({
  /** The others, in no order; whoever hasn't said so for 45 seconds is gone. */
  present: z.array(z.object({ personId: idOut, doing: z.enum(["reading", "writing"]) })),
});

export const tellPresence = operation({
  name: "tellPresence",
  summary:
    "Say to the team that you are reading or writing at an incident, and hear who else is; for less than a minute",
  on: incidentRefScope,
  can: "incident.presence",
  input: Presence,
  output: Present,
  run: async ({ actor, eventId, incidentId }, { doing }) => {
    await hub().ready();
    const presence = { eventId, incidentId, personId: actor.id, doing };
    await announce(db, { fact: null, presence, told: [], changed: [] });
    const present = hub().presentAt(incidentId);
    return { present: present.filter(({ personId }) => personId !== actor.id) };
  },
});
