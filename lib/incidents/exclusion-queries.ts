import type { Prisma } from "#lib/generated/prisma/client.ts";
import { sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { IS_EXCLUSION_IN_EFFECT_SQL } from "#lib/access/hidden-sql.ts";

/** Returns those of the given people from whom the incident is hidden now. */
export async function listExcludedPersonIds(
  tx: Pick<SqlClient, "$queryRaw">,
  incidentId: string,
  people: readonly (string | null)[],
): Promise<string[]> {
  const rows = await tx.$queryRaw<{ userId: string }[]>`
    select x.user_id as "userId" from incident_exclusions x
    where x.incident_id = ${incidentId}::uuid and x.user_id = any(${people}::uuid[]) and ${IS_EXCLUSION_IN_EFFECT_SQL}`;
  return rows.map(({ userId }) => userId);
}

/**
 * Finds out whether the incident is hidden from the actor now, and whether the assignee is excluded from it. An assignee
 * who has opened it for a limited time is: nobody would be notified once that is over.
 */
export async function findExclusionOfActorAndAssignee(
  tx: Pick<SqlClient, "$queryRaw">,
  incidentId: string,
  { actorId, assignee }: { actorId: string; assignee: string | null },
): Promise<{ hidden: boolean; assigneeExcluded: boolean }> {
  const [row] = await tx.$queryRaw<{ hidden: boolean; assigneeExcluded: boolean }[]>`
    select coalesce(bool_or(x.user_id = ${actorId}::uuid and ${IS_EXCLUSION_IN_EFFECT_SQL}), false) as hidden,
      coalesce(bool_or(x.user_id = ${assignee}::uuid), false) as "assigneeExcluded"
    from incident_exclusions x
    where x.incident_id = ${incidentId}::uuid and x.user_id in (${actorId}::uuid, ${assignee}::uuid)`;
  return row ?? { hidden: false, assigneeExcluded: false };
}

export type ExclusionProblem = "mustBeOnTeam" | "mustLeaveReader";

/**
 * Finds out why a new report can't be hidden from the people it excludes; null if it can.
 * @param checkSql query that returns one row, with the column `exclusion_problem`
 */
export async function findNewReportExclusionProblem(checkSql: Prisma.Sql): Promise<ExclusionProblem | null> {
  const [row] = await sql.$queryRaw<{ problem: ExclusionProblem | null }[]>`
    select c.exclusion_problem as problem from (${checkSql}) c`;
  return row?.problem ?? null;
}
