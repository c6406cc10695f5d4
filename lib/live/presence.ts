import { z } from "zod";
import { idInput, idOutput } from "#lib/operation/fields.ts";
import { sql } from "#lib/database/client.ts";
import type { IncidentWithoutContentPermissionSubject } from "#lib/incidents/scope.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { publishLiveBroadcast, INCIDENT_PRESENCE_STATES } from "#lib/jobs/broadcast.ts";
import { getLiveHub } from "#lib/live/hub.ts";

/** The presence of team members on an incident's page: shared with the team, and never stored. */

export const PresenceInput = z.object({
  doing: z.enum(INCIDENT_PRESENCE_STATES),
  visit: idInput.optional().meta({
    description:
      "A random id of one stay on the page. After its `gone`, other requests with the same id count for nothing, in whichever order they arrive.",
  }),
});

export const PresenceList = z.object({
  /** The other people on the page, in no order; whoever hasn't reported for 45 seconds is gone. */
  present: z.array(z.object({ personId: idOutput, doing: z.enum(["reading", "writing"]) })),
});

/** Announces the actor's presence to the team, and returns who else is there. */
export async function announceAndListPresence(
  { actor, eventId, incidentId }: IncidentWithoutContentPermissionSubject & { actor: Actor },
  { doing, visit }: z.output<typeof PresenceInput>,
): Promise<z.input<typeof PresenceList>> {
  await getLiveHub().waitUntilComplete();
  const presence = { eventId, incidentId, personId: actor.id, doing, ...(visit && { visit }) };
  await publishLiveBroadcast(sql, {
    change: null,
    presence,
    notifiedPersonIds: [],
    accessChangedPersonIds: [],
  });
  const present = getLiveHub().listPresentPeople(incidentId);
  return { present: present.filter(({ personId }) => personId !== actor.id) };
}
