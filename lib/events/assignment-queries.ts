import type { Actor } from "#lib/operation/policy.ts";
import { sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { Prisma, type Incident } from "#lib/generated/prisma/client.ts";
import { OPEN_STATES } from "#lib/access/incident-states.ts";
import {
  isConflictCheckUnansweredSql,
  isKnownSql,
  isReadableSql,
  isReaderSql,
  type Reader,
  isFullReaderSql,
  isOpenInEmergencySql,
} from "#lib/access/readers-sql.ts";
import { OPEN_STATES_SQL } from "#lib/access/policy-sql.ts";

/** The open incidents of an event, by the person to whom they are assigned. */

export type EventAssigneeIds = { eventId: string; organizationId: string; userId: string };

type AssignedIncidentRow = Pick<Incident, "id" | "title" | "severity" | "createdAt"> & {
  state: (typeof OPEN_STATES)[number];
};
type OpenStateCounts = Record<(typeof OPEN_STATES)[number], number>;

/**
 * Lists a page of a person's open incidents, most severe first, then oldest. Their count by state also has those whose
 * conflict check waits for the reader, which neither the list nor its total has.
 */
export async function listOpenIncidentsOfAssignee(
  assignee: EventAssigneeIds,
  reader: Reader,
  { page, limit }: { page: number; limit: number },
): Promise<{ incidents: AssignedIncidentRow[]; total: number; counts: OpenStateCounts }> {
  const [incidents, [countRow]] = await Promise.all([
    sql.$queryRaw<AssignedIncidentRow[]>`
      select id, i.title, state::text as state, severity::text as severity, created_at as "createdAt"
      from incidents i where ${openAssignedIncidentConditionSql(assignee)} and ${isReadableSql(reader)} order by i.severity desc nulls last, i.created_at, i.id
      limit ${limit}::bigint offset ${(page - 1) * limit}::bigint`,
    sql.$queryRaw<(OpenStateCounts & { total: number })[]>`
      select ${COUNT_BY_OPEN_STATE_SQL}, count(*) filter (where not ${isConflictCheckUnansweredSql(reader)})::int as total
      from incidents i where ${openAssignedIncidentConditionSql(assignee)} and ${isKnownSql(reader)}`,
  ]);
  const { total, ...counts } = countRow!;
  return { incidents, total, counts };
}

type AssigneeWorkload = { userId: string; open: number; oldest: Date };

/**
 * Counts the open incidents of each assignee in an event, with the time of the oldest. People without any are left
 * out.
 */
export const countOpenIncidentsByAssignee = (eventId: string, reader: Reader): Promise<AssigneeWorkload[]> =>
  sql.$queryRaw<AssigneeWorkload[]>`
    select assigned_responder_id as "userId", count(*)::int as open, min(created_at) as oldest
    from incidents i where event_id = ${eventId}::uuid and assigned_responder_id is not null
      and state in ${OPEN_STATES_SQL} and ${isKnownSql(reader)}
    group by assigned_responder_id order by count(*) desc, min(created_at), assigned_responder_id`;

const COUNT_BY_OPEN_STATE_SQL = Prisma.raw(
  OPEN_STATES.map((state) => `count(*) filter (where i.state = '${state}')::int as ${state}`).join(", "),
);

/** SQL condition: an incident `i` is open and assigned to the person. */
export const openAssignedIncidentConditionSql = ({ eventId, userId }: EventAssigneeIds) => Prisma.sql`
  i.event_id = ${eventId}::uuid and i.assigned_responder_id = ${userId}::uuid
    and i.state in ${OPEN_STATES_SQL}`;

/**
 * Returns those of the incidents that an Admin may give to somebody, or to nobody, in the given order: to nobody also
 * before they have answered its conflict check, and none that they read in an emergency.
 */
export function filterIncidentIdsHandedOverBy(
  tx: Pick<SqlClient, "$queryRaw">,
  incidentIds: string[],
  { actor, toUserId }: { actor: Actor; toUserId: string | null },
): Promise<string[]> {
  const admin = Prisma.sql`${actor.id}::uuid`;
  const reads = toUserId ? isFullReaderSql(admin) : isReaderSql(admin);
  return filterIncidentIds(tx, incidentIds, Prisma.sql`${reads} and not ${isOpenInEmergencySql(actor)}`);
}

/** Returns those of the incidents that a person on the team may read, once they are asked, in the given order. */
export const filterIncidentIdsReadableBy = (
  tx: Pick<SqlClient, "$queryRaw">,
  incidentIds: string[],
  userId: string,
): Promise<string[]> => filterIncidentIds(tx, incidentIds, isReaderSql(Prisma.sql`${userId}::uuid`));

async function filterIncidentIds(
  tx: Pick<SqlClient, "$queryRaw">,
  incidentIds: string[],
  condition: Prisma.Sql,
): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    select i.id from incidents i where i.id = any(${incidentIds}::uuid[]) and ${condition}`;
  const read = new Set(rows.map(({ id }) => id));
  return incidentIds.filter((id) => read.has(id));
}

/** Counts those of the incidents that the event has and that aren't hidden from the reader. */
export async function countKnownIncidents(
  tx: Pick<SqlClient, "$queryRaw">,
  eventId: string,
  { incidentIds, reader }: { incidentIds: string[]; reader: Reader },
): Promise<number> {
  const [found] = await tx.$queryRaw<{ count: number }[]>`
    select count(*)::int as count from incidents i
    where i.event_id = ${eventId}::uuid and i.id = any(${incidentIds}::uuid[]) and ${isKnownSql(reader)}`;
  return found?.count ?? 0;
}
