import { db } from "#lib/database/client.ts";

/** Pins of one user (contract 7.14). Both verbs may be repeated. */

/** Pins an incident; pinning it again changes nothing. */
export async function addPin(
  userId: string,
  incident: { incidentId: string; eventId: string },
): Promise<void> {
  await db.pin.createMany({ data: [{ userId, ...incident }], skipDuplicates: true });
}

/** Removes a pin if it is there. */
export async function removePin(userId: string, incidentId: string): Promise<void> {
  await db.pin.deleteMany({ where: { userId, incidentId } });
}
