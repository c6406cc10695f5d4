import { hashReceipt } from "#lib/crypto/receipt.ts";
import { prisma } from "#lib/database/client.ts";
import type { SqlClient } from "#lib/database/sql.ts";
import { isStillOnEventTeamSql } from "#lib/events/held-roles-sql.ts";
import { INTAKE_CONFIRMATION_WINDOW_HOURS, type IntakeRecord } from "#lib/conversations/intake-schema.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { Actor } from "#lib/operation/policy.ts";
import { TEAM_ROLES_SQL } from "#lib/access/policy-sql.ts";

const PERSON = { select: { id: true, name: true } } as const;

/**
 * Reads how a report was taken, for the team; null for a report that somebody filed themselves. @param viewerId the
 * reader, on whom `canConfirm` depends
 */
export async function findIntake(incidentId: string, viewerId: string): Promise<IntakeRecord | null> {
  const [found, firstResponses] = await Promise.all([
    prisma.intake.findUnique({
      where: { incidentId },
      select: {
        channel: true,
        takenAt: true,
        confirmedAt: true,
        corrected: true,
        taker: PERSON,
        witness: PERSON,
        incident: { select: { createdAt: true } },
      },
    }),
    prisma.firstResponse.findMany({
      where: { incidentId },
      orderBy: [{ doneAt: { sort: "asc", nulls: "last" } }, { kind: "asc" }],
      select: { kind: true, doneAt: true },
    }),
  ]);
  if (!found) return null;
  const { incident, ...intake } = found;
  return {
    ...intake,
    canConfirm:
      intake.confirmedAt === null &&
      [intake.taker?.id, intake.witness?.id].includes(viewerId) &&
      incident.createdAt.getTime() > Date.now() - INTAKE_CONFIRMATION_WINDOW_HOURS * 3_600_000,
    firstResponses: firstResponses.map(({ kind, doneAt }) => ({ kind, at: doneAt })),
  };
}

/** SQL condition: the actor took the report of an incident `i` or was the witness, and it was filed within a day. */
export const isRecentIntakeOfActorSql = ({ id }: Actor): Prisma.Sql => Prisma.sql`(
  i.created_at > now() - make_interval(hours => ${INTAKE_CONFIRMATION_WINDOW_HOURS}::int) and exists (select 1 from intakes w
    where w.incident_id = i.id and ${id}::uuid in (w.taker_id, w.witness_id)))`;

/** Returns whether somebody else took a report, so that a person may not confirm it. */
export async function isUnconfirmedIntakeOfOthers(
  tx: SqlClient,
  { incidentId, actor }: { incidentId: string; actor: Actor },
): Promise<boolean> {
  const [taken] = await tx.$queryRaw<{ own: boolean }[]>`
    select coalesce(${actor.id}::uuid in (taker_id, witness_id), false) as own from intakes
    where incident_id = ${incidentId}::uuid and confirmed_at is null`;
  return taken?.own === false;
}

/** Returns whether somebody is on the event's response team. */
export async function isUserOnResponseTeam(tx: SqlClient, eventId: string, userId: string): Promise<boolean> {
  const [member] = await tx.$queryRaw<{ id: string }[]>`
    select u.id from event_roles r join users u on u.id = r.user_id
    where r.event_id = ${eventId}::uuid and r.user_id = ${userId}::uuid and r.role_name in ${TEAM_ROLES_SQL}
      and u.disabled_at is null limit 1`;
  return member !== undefined;
}

/** How long the receipt can be requested again, in case the response with it was lost. */
const HAND_OVER_MINUTES = 10;

/** Returns whether this receipt of the report can still be requested again, and the actor is still on the team. */
export async function canRequestReceiptAgain(
  tx: SqlClient,
  { incidentId, actor, eventId }: { incidentId: string; actor: Actor; eventId: string },
  receipt: string,
): Promise<boolean> {
  const [waiting] = await tx.$queryRaw<{ id: string }[]>`
    select c.id from conversations c join intakes k on k.incident_id = c.id
    where c.id = ${incidentId}::uuid and c.words_hash = ${hashReceipt(receipt)}::bytea and c.handing_over
      and k.confirmed_at > now() - make_interval(mins => ${HAND_OVER_MINUTES}::int)
      and ${isStillOnEventTeamSql(actor, eventId)}`;
  return waiting !== undefined;
}
