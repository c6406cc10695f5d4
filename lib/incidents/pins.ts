import { prisma } from "#lib/database/client.ts";

/** Pins of one user (contract 7.14). Both functions are idempotent. */

/** Pins an incident; pinning it again changes nothing. */
export async function addPin(
  userId: string,
  incident: { incidentId: string; eventId: string },
): Promise<void> {
  await prisma.pin.createMany({ data: [{ userId, ...incident }], skipDuplicates: true });
}

/** Removes a pin, if there is one. */
export async function removePin(userId: string, incidentId: string): Promise<void> {
  await prisma.pin.deleteMany({ where: { userId, incidentId } });
}
