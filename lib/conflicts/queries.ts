import type { z } from "zod";
import { conflictCheckAnswerSql, isConflictCheckUnansweredSql } from "#lib/access/conflict-sql.ts";
import { incidentNotHiddenSql, isReaderSql } from "#lib/access/hidden-sql.ts";
import { OPEN_STATES_SQL } from "#lib/access/policy-sql.ts";
import { eventConditionSql } from "#lib/access/visibility-sql.ts";
import { derivePublicRecordUuid } from "#lib/crypto/record-id.ts";
import { prisma, sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import type {
  ConflictCheckRecord,
  UnansweredIncidentList,
  UnansweredIncidentsQuery,
} from "#lib/conflicts/schema.ts";
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
  const found = await sql.$queryRaw<{ id: string; total: number }[]>`
    select i.id, count(*) over ()::int as total from incidents i
    where i.conflict_check and i.state in ${OPEN_STATES_SQL} and ${events} and ${incidentNotHiddenSql(visibility.hidden)}
      and ${isConflictCheckUnansweredSql(actor.id)}
    order by i.urgent desc, i.created_at desc, i.id desc limit ${limit}::bigint offset ${(page - 1) * limit}::bigint`;
  const rows = await prisma.incident.findMany({
    where: { id: { in: found.map(({ id }) => id) } },
    orderBy: [{ urgent: "desc" }, { createdAt: "desc" }, { id: "desc" }],
    select: UNANSWERED_COLUMNS,
  });
  return { incidents: rows, pagination: buildPaginationFromTotal({ page, limit }, found[0]?.total ?? 0) };
}

const PERSON = { select: { id: true, name: true } } as const;

/**
 * Loads an incident's conflict check as the actor sees it. Until they have answered, it leaves out the answers and
 * bypasses of others.
 */
export async function loadConflictCheck(
  context: ConflictCheckPermissionSubject & { actor: Actor },
): Promise<ConflictCheckRecord> {
  const { incidentId, isUnopened, actor } = context;
  const incident = await prisma.incident.findUniqueOrThrow({
    where: { id: incidentId },
    select: UNANSWERED_COLUMNS,
  });
  if (isUnopened) return { incident, status: "unanswered", answers: [], bypasses: [] };
  const [status, answers, bypasses] = await Promise.all([
    findOwnAnswer(incidentId, actor.id),
    listAnswers(incidentId),
    listBypasses(incidentId),
  ]);
  return { incident, status, answers, bypasses };
}

async function findOwnAnswer(incidentId: string, userId: string): Promise<ConflictCheckRecord["status"]> {
  const [row] = await sql.$queryRaw<{ answer: ConflictCheckRecord["status"] }[]>`
    select ${conflictCheckAnswerSql(userId)} as answer from incidents i where i.id = ${incidentId}::uuid`;
  return row?.answer ?? null;
}

async function listAnswers(incidentId: string): Promise<ConflictCheckRecord["answers"]> {
  const rows = await sql.$queryRaw<{ id: string; name: string; answer: "none" | "soft"; answeredAt: Date }[]>`
    select u.id, u.name, x.answer::text as answer, x.created_at as "answeredAt"
    from incident_readers x join users u on u.id = x.user_id
    where x.incident_id = ${incidentId}::uuid and x.answer is not null order by x.created_at, u.id`;
  return rows.map(({ id, name, ...row }) => ({ person: { id, name }, ...row }));
}

/** Lists when the incident was opened without an answer to the conflict check, by whom and why: entries of its access log. */
async function listBypasses(incidentId: string): Promise<ConflictCheckRecord["bypasses"]> {
  const entries = await prisma.incidentAccess.findMany({
    where: { incidentId, kind: "bypass" },
    orderBy: { id: "asc" },
    select: { id: true, at: true, reason: true, actorId: true },
  });
  const people = await prisma.user.findMany({
    where: { id: { in: entries.flatMap(({ actorId }) => actorId ?? []) } },
    ...PERSON,
  });
  return entries.map(({ id, actorId, ...entry }) => ({
    id: derivePublicRecordUuid("access", String(id)),
    person: people.find((person) => person.id === actorId) ?? null,
    ...entry,
  }));
}

type CheckFlags = { isChecked: boolean; onTeam: boolean };

/**
 * Finds whether an incident's conflict check asks the actor, who has it open for longer than an emergency, and whether
 * they are still on its team.
 */
export async function findActorConflictCheckFlags(
  tx: Pick<SqlClient, "$queryRaw">,
  incidentId: string,
  { actor, eventId }: { actor: Actor; eventId: string },
): Promise<CheckFlags | undefined> {
  const [row] = await tx.$queryRaw<CheckFlags[]>`
    select i.conflict_check and not coalesce(i.reporter_id = ${actor.id}::uuid, false)
        and ${isReaderSql(Prisma.sql`${actor.id}::uuid`)} as "isChecked",
      ${isStillOnEventTeamSql(actor, eventId)} as "onTeam"
    from incidents i where i.id = ${incidentId}::uuid`;
  return row;
}
