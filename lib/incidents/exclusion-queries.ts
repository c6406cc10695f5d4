import { Prisma } from "#lib/generated/prisma/client.ts";
import { sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import { selectOutsidePersonOfEventSql, teamAndOrganizationMembersSql } from "#lib/access/team-sql.ts";
import { isKnownToPersonSql, isReaderSql } from "#lib/access/hidden-sql.ts";

/** Returns those of the given people from whom the incident is hidden now. */
export async function listHiddenFromPersonIds(
  tx: Pick<SqlClient, "$queryRaw">,
  incidentId: string,
  people: readonly (string | null)[],
): Promise<string[]> {
  const rows = await tx.$queryRaw<{ userId: string }[]>`
    select p.id as "userId" from incidents i, unnest(${people}::uuid[]) as p(id)
    where i.id = ${incidentId}::uuid and p.id is not null and not ${isKnownToPersonSql(Prisma.sql`p.id`)}`;
  return rows.map(({ userId }) => userId);
}

/**
 * Finds out whether the incident is hidden from the actor now, and from the assignee. An assignee
 * who has opened it for a limited time is: nobody would be notified once that is over.
 */
export async function findHidingFromActorAndAssignee(
  tx: Pick<SqlClient, "$queryRaw">,
  incidentId: string,
  { actorId, assignee }: { actorId: string; assignee: string | null },
): Promise<{ hidden: boolean; hiddenFromAssignee: boolean }> {
  const [row] = await tx.$queryRaw<{ hidden: boolean; hiddenFromAssignee: boolean }[]>`
    select not ${isKnownToPersonSql(Prisma.sql`${actorId}::uuid`)} as hidden,
      ${assignee}::uuid is not null and not ${isReaderSql(Prisma.sql`${assignee}::uuid`)} as "hiddenFromAssignee"
    from incidents i where i.id = ${incidentId}::uuid`;
  return row ?? { hidden: false, hiddenFromAssignee: false };
}

export type HidingProblem = "mustBeOnTeam" | "mustLeaveReader";

/**
 * Finds out why a new report can't be hidden from those whom it names; null if it can.
 * @param checkSql query that returns one row, with the column `hiding_problem`
 */
export async function findNewReportHidingProblem(checkSql: Prisma.Sql): Promise<HidingProblem | null> {
  const [row] = await sql.$queryRaw<{ problem: HidingProblem | null }[]>`
    select c.hiding_problem as problem from (${checkSql}) c`;
  return row?.problem ?? null;
}

type PossibleReader = { id: string; name: string; onTeam: boolean; isOutsidePerson: boolean };

/**
 * Lists the people who could read a new report of an event, or its numbers: the team, also those invited to it, and the
 * members of the organization, among them the outside person.
 */
export const listPossibleReadersOfNewReport = (eventId: string): Promise<PossibleReader[]> => sql.$queryRaw<
  PossibleReader[]
>`
  select u.id, u.name, u.id in (select c.user_id from (${selectOutsidePersonOfEventSql(eventId)}) c) as "isOutsidePerson",
    exists (select 1 from event_roles r where r.event_id = ${eventId}::uuid and r.user_id = u.id and r.role_name in ${TEAM_ROLES_SQL}) as "onTeam"
  from users u where u.id in (${teamAndOrganizationMembersSql(eventId)})`;
