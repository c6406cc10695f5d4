import { evaluateIncidentConditions } from "#lib/access/incident-queries.ts";
import { isFullReaderSql, isUndecidedOnListSql } from "#lib/access/readers-sql.ts";
import { TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";
import { findPageOfIds, sortByIds } from "#lib/database/page-queries.ts";
import { prisma } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { Actor } from "#lib/operation/policy.ts";
import type { ClosedIncidentRecord } from "#lib/readers/schema.ts";

/** How many lists are shown, and joined, at once. */
const MAX_CLOSED_INCIDENTS = 100;

type Key = { eventId: string; userId: string; actor: Actor };

/** The condition that the actor may decide about incident `i`, and nobody has decided about the person yet. */
const isClosedToLaterPersonSql = (userId: string, actorId: string): Prisma.Sql =>
  Prisma.sql`${isUndecidedOnListSql(Prisma.sql`${userId}::uuid`)} and ${isFullReaderSql(Prisma.sql`${actorId}::uuid`)}`;

/** Finds whether that is so of a locked incident. */
export async function isClosedToLaterPerson(
  tx: Pick<SqlClient, "$queryRaw">,
  incidentId: string,
  { userId, actor }: Pick<Key, "userId" | "actor">,
): Promise<boolean> {
  const isClosed = isClosedToLaterPersonSql(userId, actor.id);
  return (await evaluateIncidentConditions(tx, incidentId, { isClosed }))?.isClosed === true;
}

/**
 * Lists the incidents with a list that a person on the team isn't on, since they joined after it was made, and that the actor
 * reads, newest first. Those from which somebody keeps the person out by a decision aren't among them.
 * @returns at most 100, and how many there are
 */
export async function listIncidentsClosedToPerson({
  eventId,
  userId,
  actor,
}: Key): Promise<{ incidents: ClosedIncidentRecord[]; total: number }> {
  const matching = Prisma.sql`
    select i.id, i.created_at from incidents i
    where i.event_id = ${eventId}::uuid and ${isClosedToLaterPersonSql(userId, actor.id)}
      and exists (select 1 from event_roles r where r.event_id = i.event_id and r.user_id = ${userId}::uuid
        and not r.pending and r.role_name in ${TEAM_ROLES_SQL})`;
  const first = { page: 1, limit: MAX_CLOSED_INCIDENTS };
  const { ids, total } = await findPageOfIds(matching, Prisma.sql`created_at desc, id desc`, first);
  const rows = await prisma.incident.findMany({
    where: { id: { in: ids } },
    select: { id: true, title: true, reporterId: true },
  });
  return { incidents: sortByIds(ids, rows), total };
}
