import { evaluateIncidentConditions } from "#lib/access/incident-queries.ts";
import { isConflictCheckUnansweredSql, isKnownToPersonSql } from "#lib/access/readers-sql.ts";
import { derivePublicRecordUuid } from "#lib/crypto/record-id.ts";
import { prisma } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { isStillOnEventTeamSql, isStillSystemAdminAtEventSql } from "#lib/events/held-roles-sql.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import { hasTeamAccessToEvent } from "#lib/operation/policy.ts";
import type { ReaderContext } from "#lib/readers/queries.ts";
import type { EmergencyRecord } from "#lib/readers/schema.ts";

/** Emergencies, in which somebody reads an incident that is closed to them (contract 16.5). */

/**
 * Finds whether an incident isn't hidden from the actor, waits for their answer to its conflict check, and which roles they
 * still hold.
 */
export const findAccessOfActor = (
  tx: Pick<SqlClient, "$queryRaw">,
  { incidentId, eventId, actor }: Omit<ReaderContext, "reporterId">,
) =>
  evaluateIncidentConditions(tx, incidentId, {
    isReader: isKnownToPersonSql(Prisma.sql`${actor.id}::uuid`),
    isUnopened: isConflictCheckUnansweredSql(actor),
    onTeam: isStillOnEventTeamSql(actor, eventId),
    isSystemAdmin: isStillSystemAdminAtEventSql(actor, eventId),
  });

/** Lists when the incident was opened in an emergency, for its team: entries of its access log. */
export async function listEmergencies({
  actor,
  eventId,
  incidentId,
}: ReaderContext): Promise<EmergencyRecord[]> {
  if (!hasTeamAccessToEvent(actor, eventId)) return [];
  const entries = await prisma.incidentAccess.findMany({
    where: { incidentId, kind: "emergency" },
    orderBy: { id: "asc" },
    select: { id: true, at: true, reason: true, actorId: true },
  });
  if (entries.length === 0) return [];
  const people = await prisma.user.findMany({
    where: { id: { in: entries.flatMap(({ actorId }) => actorId ?? []) } },
    select: { id: true, name: true },
  });
  return entries.map(({ id, actorId, ...entry }) => ({
    id: derivePublicRecordUuid("access", String(id)),
    person: people.find((person) => person.id === actorId) ?? null,
    ...entry,
  }));
}
