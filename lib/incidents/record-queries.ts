import { sql } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import {
  isStillEventAdminSql,
  isStillOnEventTeamSql,
  mayStillReportAtEventSql,
} from "#lib/events/held-roles-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { INCIDENT_JOINS_SQL, INCIDENT_ROW_JSON_SQL } from "#lib/incidents/json-sql.ts";
import { incidentsUnmaskedForReporterSql, incidentsMaskedForReaderSql } from "#lib/incidents/readable-sql.ts";
import type {
  ConflictCheckStatus,
  CONTACT_METHODS,
  IncidentState,
  RelatedFile,
  Severity,
} from "#lib/incidents/schema.ts";
import { isConflictCheckUnansweredSql } from "#lib/access/conflict-sql.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import { redactIncidentForActor } from "#lib/incidents/redaction.ts";
import type { Actor } from "#lib/operation/policy.ts";

/** An incident with its related records. Times are already text, as the API writes them (contract 3.6). */
export type IncidentRow = {
  id: string;
  title: string;
  description: string;
  state: IncidentState;
  severity: Severity | null;
  /** Whether somebody is in danger and nobody has acknowledged the report yet. */
  urgent: boolean;
  /** Whether the reporter reads messages in a mailbox. */
  hasMailbox: boolean;
  /** Whether a team member wrote it down and the reporter hasn't confirmed the text. */
  unconfirmed: boolean;
  /** Whether the reporter closed their mailbox for good. */
  mailboxClosed: boolean;
  withdrawn: boolean;
  incidentAt: string | null;
  location: string | null;
  parties: string | null;
  eventId: string;
  reporterId: string | null;
  assignedResponderId: string | null;
  resolution: string | null;
  /** Whether the resolution is internal to the team. */
  resolutionInternal: boolean;
  firstResponseAt: string | null;
  resolvedAt: string | null;
  escalatedAt: string | null;
  reopenedAt: string | null;
  createdAt: string;
  updatedAt: string;
  type: string | null;
  contactMethod: (typeof CONTACT_METHODS)[number];
  contactPhone: string | null;
  event: { id: string; name: string; slug: string };
  reporter: Person | null;
  assignedResponder: Person | null;
  relatedFiles: RelatedFile[];
  reportedPersonName: string | null;
  /** The reader's answer to the conflict check; null where they aren't asked (contract 18). */
  conflictCheck: ConflictCheckStatus | null;
};

type Person = { id: string; name: string; email: string | null };

type IncidentKey = { eventId: string; incidentId: string };

/**
 * Finds one incident of one event as its reader may see it; both ids must match (contract 3.5). Null without a match.
 * @param condition another one that incident `i` has to fulfill
 */
export async function findIncidentAsSeenByReader(
  client: SqlClient,
  { readerId, ...key }: IncidentKey & { readerId: string | null },
  condition = Prisma.sql`true`,
): Promise<IncidentRow | null> {
  return findRecord(
    client,
    incidentsMaskedForReaderSql(readerId),
    Prisma.sql`${hasKeySql(key)} and ${condition}`,
  );
}

/** Finds who reported an incident, and whether it is closed to the reader by its conflict check. */
export async function findReporterAndConflictCheckState(
  { readerId, ...key }: IncidentKey & { readerId: string | null },
  condition: Prisma.Sql,
): Promise<{ reporterId: string | null; isUnopened: boolean } | undefined> {
  const [row] = await sql.$queryRaw<{ reporterId: string | null; isUnopened: boolean }[]>`
    select reporter_id as "reporterId", ${isConflictCheckUnansweredSql(readerId)} as "isUnopened" from incidents i
    where ${hasKeySql(key)} and ${condition}`;
  return row;
}

/** Who on the team may change the title. */
export type RetitlingRole = "Admin" | "team";

/** Finds whether the actor still has that role in the event, or reported the incident and still holds a role. */
export async function mayStillRetitle(
  tx: SqlClient,
  { actor, eventId, incidentId, role }: IncidentKey & { actor: Actor; role: RetitlingRole },
): Promise<boolean> {
  const [found] = await tx.$queryRaw<{ isAllowed: boolean }[]>`
    select ${role === "Admin" ? isStillEventAdminSql(actor, eventId) : isStillOnEventTeamSql(actor, eventId)}
      or coalesce(i.reporter_id = ${actor.id}::uuid, false) and ${mayStillReportAtEventSql(actor, eventId)} as "isAllowed"
    from incidents i where i.id = ${incidentId}::uuid`;
  return found?.isAllowed === true;
}

/** Finds an incident for its sender, named or anonymous, who reads it back. */
export const findIncidentForReporter = (client: SqlClient, key: IncidentKey): Promise<IncidentRow | null> =>
  findRecord(client, incidentsUnmaskedForReporterSql(Prisma.sql`incidents`), hasKeySql(key));

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
  selectRecordSql(incidentsUnmaskedForReporterSql(source));

/** Selects incidents as JSON text in the column `record`, which `parseIncidentRowJson` parses. */
const selectRecordSql = (source: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`select ${INCIDENT_ROW_JSON_SQL} as record from ${source} i ${INCIDENT_JOINS_SQL}`;

export const parseIncidentRowJson = (record: string): IncidentRow => JSON.parse(record) as IncidentRow;

/** Reads the record as this transaction leaves it, redacted for the actor. @throws AppError NOT_FOUND */
export async function refetchIncidentForActor(
  tx: SqlClient,
  { actor, eventId }: { actor: Actor; eventId: string },
  incidentId: string,
): Promise<IncidentRow> {
  const incident = await findIncidentAsSeenByReader(tx, { eventId, incidentId, readerId: actor.id });
  if (!incident) throw createNotFoundError("incident");
  return redactIncidentForActor(actor, incident);
}
