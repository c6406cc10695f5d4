import { hashReceipt } from "#lib/crypto/receipt.ts";
import { prisma, type Tx } from "#lib/database/client.ts";
import { isStillOnEventTeam } from "#lib/events/held-roles-queries.ts";
import { INTAKE_CONFIRMATION_WINDOW_HOURS, type IntakeRecord } from "#lib/conversations/intake-schema.ts";
import { Prisma } from "#lib/generated/prisma/client.ts";
import type { Actor } from "#lib/operation/policy.ts";

const PERSON = { select: { id: true, name: true } } as const;

/**
 * Reads how a report was taken, for the team; null for a report that somebody filed themselves. @param viewerId the
 * reader, on whom `canConfirm` depends
 */
export async function findIntake(incidentId: string, viewerId: string): Promise<IntakeRecord | null> {
  const found = await prisma.intake.findUnique({
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
  });
  if (!found) return null;
  const firstResponses = await prisma.firstResponse.findMany({
    where: { incidentId },
    orderBy: [{ doneAt: { sort: "asc", nulls: "last" } }, { kind: "asc" }],
    select: { kind: true, doneAt: true },
  });
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
  tx: Tx,
  { incidentId, actor }: { incidentId: string; actor: Actor },
): Promise<boolean> {
  const taken = await tx.intake.findUnique({
    where: { incidentId, confirmedAt: null },
    select: { takerId: true, witnessId: true },
  });
  return taken !== null && taken.takerId !== actor.id && taken.witnessId !== actor.id;
}

/** How long the receipt can be requested again, in case the response with it was lost. */
const HAND_OVER_MINUTES = 10;

/** Returns whether this receipt of the report can still be requested again, and the actor is still on the team. */
export async function canRequestReceiptAgain(
  tx: Tx,
  { incidentId, actor, eventId }: { incidentId: string; actor: Actor; eventId: string },
  receipt: string,
): Promise<boolean> {
  const since = new Date(Date.now() - HAND_OVER_MINUTES * 60_000);
  const waiting = await tx.conversation.count({
    where: {
      id: incidentId,
      wordsHash: hashReceipt(receipt),
      handingOver: true,
      incident: { intake: { confirmedAt: { gt: since } } },
    },
  });
  return waiting > 0 && (await isStillOnEventTeam(tx, actor, eventId));
}
