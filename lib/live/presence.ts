import { z } from "zod";
import { idOut } from "#lib/operation/fields.ts";
import { db } from "#lib/database/client.ts";
import type { IncidentRefSubject } from "#lib/incidents/scope.ts";
import type { Actor } from "#lib/operation/policy.ts";
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

/** Tells the others that the actor is there, and says who of them is. */
export async function announcePresence(
  { actor, eventId, incidentId }: IncidentRefSubject & { actor: Actor },
  { doing }: z.output<typeof Presence>,
): Promise<z.input<typeof Present>> {
  await hub().ready();
  const presence = { eventId, incidentId, personId: actor.id, doing };
  await announce(db, { fact: null, presence, told: [], changed: [] });
  const present = hub().presentAt(incidentId);
  return { present: present.filter(({ personId }) => personId !== actor.id) };
}
