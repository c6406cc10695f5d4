import { appendAuditEntry, buildAuditEntry } from "#lib/audit/audit.ts";
import { runTransaction } from "#lib/database/client.ts";
import { createNotFoundError } from "#lib/operation/errors.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { findActorRightForPermission, type Actor } from "#lib/operation/policy.ts";
import { listReadRecordsOfPerson } from "#lib/people/queries.ts";

/**
 * Shows the names of a person, newest first, and records it: in the audit log for each report whose name is shown, since
 * who reads such an entry may not read of another report.
 * @throws AppError NOT_FOUND for somebody of whom the actor reads no record
 */
export async function showNamesOfPerson(
  { actor, call }: { actor: Actor; call: OperationCall },
  personId: string,
): Promise<string[]> {
  const records = await listReadRecordsOfPerson(actor, personId);
  if (records.length === 0) throw createNotFoundError("person");
  await runTransaction(async (tx) => {
    for (const { organizationId, eventId, incidentId, personId: id } of records) {
      const right = findActorRightForPermission(actor, "person.read", { eventId }) ?? "SystemAdmin";
      const context = { actor, right, call, organizationId, eventId };
      await appendAuditEntry(
        tx,
        buildAuditEntry(context, "person.showName", { type: "person", id }, { incidentId }),
      );
    }
  });
  return [...new Set(records.map(({ name }) => name))];
}
