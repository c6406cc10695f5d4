import { evaluateIncidentConditions } from "#lib/access/incident-queries.ts";
import { sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import {
  isStillEventAdminSql,
  isStillOnEventTeamSql,
  mayStillReportAtEventSql,
} from "#lib/events/held-roles-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import {
  INCIDENT_ROW_JSON_SQL,
  incidentJoinsSql,
  incidentsOfSenderSql,
  incidentsWithAnswerSql,
} from "#lib/incidents/json-sql.ts";
import type { ConflictCheckAnswer, Incident } from "#lib/incidents/schema.ts";
import {
  isConflictCheckUnansweredSql,
  isKnownSql,
  isOpenInEmergencySql,
  type Reader,
} from "#lib/access/readers-sql.ts";
import { AppError, createNotFoundError } from "#lib/operation/errors.ts";
import { redactIncidentForActor } from "#lib/incidents/redaction.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** An incident with its related records, as the API shows it to its team. Times are already text (contract 3.6). */
export type IncidentRow = Incident;

/** An incident that may wait for its reader's answer, who then reads nothing of it. */
type FoundIncident = Omit<IncidentRow, "conflictCheck"> & {
  conflictCheck: ConflictCheckAnswer | "unanswered" | null;
};

type IncidentKey = { eventId: string; incidentId: string };

/**
 * Finds one incident of one event as its reader may see it; both ids must match (contract 3.5). Null without a match, and
 * where it is hidden from them.
 */
export async function findIncidentAsSeenByReader(
  client: SqlClient,
  { reader, ...key }: IncidentKey & { reader: Reader },
): Promise<FoundIncident | null> {
  return findRecord(
    client,
    incidentsWithAnswerSql(reader),
    Prisma.sql`${hasKeySql(key)} and ${isKnownSql(reader)}`,
  );
}

type IncidentReadingState = { reporterId: string | null; isUnopened: boolean; inEmergency: boolean };

/** Finds who reported an incident, and whether it is closed to the reader by its conflict check. */
export async function findReporterAndConflictCheckState(
  key: IncidentKey,
  { actor, mayBeHidden }: { actor: Actor | null; mayBeHidden: boolean },
): Promise<IncidentReadingState | undefined> {
  const [row] = await sql.$queryRaw<IncidentReadingState[]>`
    select reporter_id as "reporterId", ${isConflictCheckUnansweredSql(actor)} as "isUnopened",
      ${isOpenInEmergencySql(actor)} as "inEmergency" from incidents i
    where ${hasKeySql(key)} and (${mayBeHidden}::boolean or ${isKnownSql(actor)})`;
  return row;
}

/** Refuses an incident that is closed to its reader. @throws AppError CONFLICT_CHECK_REQUIRED */
export function assertConflictCheckAnswered(incident: FoundIncident): asserts incident is IncidentRow {
  if (incident.conflictCheck === "unanswered")
    throw new AppError("CONFLICT_CHECK_REQUIRED", "conflictCheckRequired");
}

/** Who on the team may change the title. */
export type RetitlingRole = "Admin" | "team";

/** Finds whether the actor still has that role in the event, or reported the incident and still holds a role. */
export async function mayStillRetitle(
  tx: SqlClient,
  { actor, eventId, incidentId, role }: IncidentKey & { actor: Actor; role: RetitlingRole },
): Promise<boolean> {
  const found = await evaluateIncidentConditions(tx, incidentId, {
    holdsRole:
      role === "Admin" ? isStillEventAdminSql(actor, eventId) : isStillOnEventTeamSql(actor, eventId),
    isReporter: Prisma.sql`i.reporter_id = ${actor.id}::uuid and ${mayStillReportAtEventSql(actor, eventId)}`,
  });
  return found !== undefined && (found.holdsRole || found.isReporter);
}

/** Finds an incident for its sender, named or anonymous, who reads it back. */
export const findIncidentForReporter = (client: SqlClient, key: IncidentKey): Promise<IncidentRow | null> =>
  findRecord(client, incidentsOfSenderSql(Prisma.sql`incidents`), hasKeySql(key));

const hasKeySql = ({ eventId, incidentId }: IncidentKey) =>
  Prisma.sql`i.id = ${incidentId}::uuid and i.event_id = ${eventId}::uuid`;

async function findRecord(
  client: SqlClient,
  source: Prisma.Sql,
  condition: Prisma.Sql,
): Promise<IncidentRow | null> {
  const [found] = await client.$queryRaw<{ record: string }[]>`${selectRecordSql(source)} where ${condition}`;
  return found ? parseIncidentRowJson(found.record) : null;
}

/** Selects rows that their sender has just written, as JSON text in the column `record`. */
export const selectJustSentIncidentJsonSql = (source: Prisma.Sql): Prisma.Sql =>
  selectRecordSql(incidentsOfSenderSql(source));

/** Selects incidents as JSON text in the column `record`, which `parseIncidentRowJson` parses. */
const selectRecordSql = (source: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`select ${INCIDENT_ROW_JSON_SQL} as record from ${source} i ${incidentJoinsSql()}`;

export const parseIncidentRowJson = (record: string): IncidentRow => JSON.parse(record) as IncidentRow;

/**
 * Reads the record as this transaction leaves it, redacted for the actor.
 * @throws AppError NOT_FOUND, CONFLICT_CHECK_REQUIRED when it isn't open to the actor any more
 */
export async function refetchIncidentForActor(
  tx: SqlClient,
  { actor, eventId }: { actor: Actor; eventId: string },
  incidentId: string,
): Promise<IncidentRow> {
  return requireOpenIncident(
    actor,
    await findIncidentAsSeenByReader(tx, { eventId, incidentId, reader: actor }),
  );
}

/**
 * Changes an incident and reads the record as the change leaves it, redacted for the actor, in one statement.
 * @param writing common table expressions that write, one of which is `changed` and returns the row
 * @throws as `refetchIncidentForActor`
 */
export async function readChangedIncident(
  tx: SqlClient,
  actor: Actor,
  writing: Prisma.Sql,
): Promise<IncidentRow> {
  const [changed] = await tx.$queryRaw<{ record: string }[]>`
    with ${writing} ${selectRecordSql(incidentsWithAnswerSql(actor, Prisma.sql`changed`))} where ${isKnownSql(actor)}`;
  return requireOpenIncident(actor, changed ? parseIncidentRowJson(changed.record) : null);
}

function requireOpenIncident(actor: Actor, incident: FoundIncident | null): IncidentRow {
  if (!incident) throw createNotFoundError("incident");
  assertConflictCheckAnswered(incident);
  return redactIncidentForActor(actor, incident);
}
