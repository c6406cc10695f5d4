import type { Tx } from "#lib/database/client.ts";
import type { Prisma } from "#lib/generated/prisma/client.ts";

type HistoryEntry = Omit<Prisma.IncidentHistoryUncheckedCreateInput, "incidentId" | "eventId" | "actorId">;

/** Appends an entry to the history of an incident. `actor` is null for the service, and for somebody without an account. */
export async function appendHistoryEntry(
  tx: Tx,
  {
    incidentId,
    eventId,
    actor,
  }: { incidentId: string; eventId: string; actor: { id: string | null } | null },
  entry: HistoryEntry,
): Promise<void> {
  const data = { incidentId, eventId, actorId: actor?.id ?? null, ...entry };
  await tx.incidentHistory.create({ data, select: { id: true } });
}
