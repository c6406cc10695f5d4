import { z } from "zod";
import { sql } from "#lib/database/client.ts";
import { timeOutput } from "#lib/operation/fields.ts";
import { INCIDENT_STATES } from "#lib/incidents/schema.ts";

export const ReachedStatesAndOutcome = z.object({
  reached: z.array(z.enum(INCIDENT_STATES)),
  /** The latest message that tells the reporter the outcome. */
  outcome: z.object({ body: z.string(), createdAt: timeOutput }).nullable(),
  /** Whether there is a message of the team to the reporter. */
  teamHasWritten: z.boolean(),
});

type ProgressRow = {
  reached: string[];
  outcome: { body: string; createdAt: string } | null;
  teamHasWritten: boolean;
};

/**
 * Loads which states an incident has been in, since a change may skip some, what the reporter was told as the
 * outcome, and whether the team has written to them.
 */
export async function loadReachedStatesAndOutcome(
  incidentId: string,
): Promise<z.input<typeof ReachedStatesAndOutcome>> {
  const [row] = await sql.$queryRaw<ProgressRow[]>`
    select array(select distinct h.to_value from incident_history h
        where h.incident_id = i.id and h.action in ('state', 'reopen')) as reached,
      (select json_build_object('body', m.body, 'createdAt', m.created_at) from messages m
        where m.conversation_id = i.id and m.kind = 'outcome' order by m.created_at desc limit 1) as outcome,
      exists (select 1 from messages m where m.conversation_id = i.id and not m.from_party) as "teamHasWritten"
    from incidents i where i.id = ${incidentId}::uuid`;
  const reached = new Set(["submitted", ...(row?.reached ?? [])]);
  const outcome = row?.outcome;
  return {
    reached: INCIDENT_STATES.filter((state) => reached.has(state)),
    outcome: outcome ? { body: outcome.body, createdAt: new Date(outcome.createdAt) } : null,
    teamHasWritten: row?.teamHasWritten ?? false,
  };
}
