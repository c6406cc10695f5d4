import { findPageOfIds, sortByIds } from "#lib/database/page-queries.ts";
import { evaluateIncidentConditions } from "#lib/access/incident-queries.ts";
import type { z } from "zod";
import {
  conflictCheckAnswerSql,
  isConflictCheckUnansweredSql,
  isKnownSql,
  isReaderSql,
} from "#lib/access/readers-sql.ts";
import { OPEN_STATES_SQL } from "#lib/access/policy-sql.ts";
import { eventConditionSql } from "#lib/access/visibility-sql.ts";
import { prisma, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import type {
  ConflictCheckRecord,
  UnansweredIncidentList,
  UnansweredIncidentsQuery,
} from "#lib/readers/schema.ts";
import { isStillOnEventTeamSql } from "#lib/events/held-roles-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { resolveVisibleIncidentFilter } from "#lib/incidents/list-queries.ts";
import type { IncidentWithoutContentPermissionSubject } from "#lib/incidents/scope.ts";
import { buildPaginationFromTotal } from "#lib/operation/fields.ts";
import type { Actor } from "#lib/operation/policy.ts";

type ConflictCheckPermissionSubject = IncidentWithoutContentPermissionSubject & { isUnopened: boolean };

/** The columns of an incident that everybody who is asked about it may know. */
const UNANSWERED_COLUMNS = {
  id: true,
  event: { select: { id: true, name: true, slug: true } },
  state: true,
  severity: true,
  urgent: true,
  createdAt: true,
  reportedPersonName: true,
} as const;

/** Lists the open incidents whose conflict check waits for the actor, most urgent first, then newest. */
export async function listUnansweredIncidents(
  actor: Actor,
  { event, page, limit }: z.output<typeof UnansweredIncidentsQuery>,
): Promise<z.input<typeof UnansweredIncidentList>> {
  const visibility = await resolveVisibleIncidentFilter(actor, event === undefined ? undefined : [event]);
  const events = visibility.everything ? Prisma.sql`true` : eventConditionSql(visibility.all);
  const matching = Prisma.sql`
    select i.id, i.urgent, i.created_at from incidents i
    where i.conflict_check and i.state in ${OPEN_STATES_SQL} and ${events} and ${isKnownSql(actor)}
      and ${isConflictCheckUnansweredSql(actor)}`;
  const order = Prisma.sql`urgent desc, created_at desc, id desc`;
  const { ids, total } = await findPageOfIds(matching, order, { page, limit });
  const where = { id: { in: ids } };
  const rows = ids.length > 0 ? await prisma.incident.findMany({ where, select: UNANSWERED_COLUMNS }) : [];
  return { incidents: sortByIds(ids, rows), pagination: buildPaginationFromTotal({ page, limit }, total) };
}

/** Loads an incident's conflict check as the actor sees it. */
export async function loadConflictCheck({
  incidentId,
  isUnopened,
  actor,
}: ConflictCheckPermissionSubject & { actor: Actor }): Promise<ConflictCheckRecord> {
  const incident = await prisma.incident.findUniqueOrThrow({
    where: { id: incidentId },
    select: UNANSWERED_COLUMNS,
  });
  return { incident, status: isUnopened ? "unanswered" : await findOwnAnswer(incidentId, actor.id) };
}

async function findOwnAnswer(incidentId: string, userId: string): Promise<ConflictCheckRecord["status"]> {
  const [row] = await sql.$queryRaw<{ answer: ConflictCheckRecord["status"] }[]>`
    select ${conflictCheckAnswerSql(userId)} as answer from incidents i where i.id = ${incidentId}::uuid`;
  return row?.answer ?? null;
}

/**
 * Finds whether an incident's conflict check asks the actor, who has it open for longer than an emergency, and whether
 * they are still on its team.
 */
export const findActorConflictCheckFlags = (
  tx: Pick<SqlClient, "$queryRaw">,
  incidentId: string,
  { actor, eventId }: { actor: Actor; eventId: string },
) =>
  evaluateIncidentConditions(tx, incidentId, {
    isChecked: Prisma.sql`i.conflict_check and i.reporter_id is distinct from ${actor.id}::uuid
      and ${isReaderSql(Prisma.sql`${actor.id}::uuid`)}`,
    onTeam: isStillOnEventTeamSql(actor, eventId),
  });
