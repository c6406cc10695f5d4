import { z } from "zod";
import { sql } from "#lib/database/client.ts";
import { INCIDENT_STATES } from "#lib/incidents/schema.ts";

export const Progress = z.object({
  reached: z.array(z.enum(INCIDENT_STATES)),
  resolutionIsNote: z.boolean(),
});

/**
 * Finds which states an incident has been in, since a change may skip some, and whether its resolution is internal to
 * the team, so that the reporter can't read it (contract 7.6).
 */
export async function findIncidentProgress(incidentId: string): Promise<z.input<typeof Progress>> {
  const [row] = await sql.$queryRaw<{ reached: string[]; internal: boolean }[]>`
    select array(select distinct h.to_value from incident_history h
        where h.incident_id = i.id and h.action in ('state', 'reopen')) as reached,
      i.resolution is not null and i.resolution_internal as internal
    from incidents i where i.id = ${incidentId}::uuid`;
  const reached = new Set(["submitted", ...(row?.reached ?? [])]);
  return {
    reached: INCIDENT_STATES.filter((state) => reached.has(state)),
    resolutionIsNote: row?.internal ?? false,
  };
}
