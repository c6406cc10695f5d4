import { cleanAndStoreUploads, sumFileSizes, type StoredUpload } from "#lib/files/evidence.ts";
import type { OperationCall } from "#lib/operation/operation.ts";
import { createLaneForAddress } from "#lib/rate-limits/addresses.ts";
import { consumeLimit } from "#lib/rate-limits/rate-limits.ts";

/**
 * Counts, cleans and stores the files that somebody sends from their mailbox. Only their content is stored.
 * @throws AppError as for a report's files, and RATE_LIMITED
 */
export async function storeUnidentifiedUploads(
  call: OperationCall,
  addsTo: { incidentId: string; conversationId: string | null },
): Promise<StoredUpload[]> {
  await consumeLimit("unidentified-message", addsTo.conversationId ?? addsTo.incidentId);
  await consumeLimit("unidentified-files", call.address, sumFileSizes(call.files));
  const lane = createLaneForAddress(call.address);
  return cleanAndStoreUploads(call.files, { lane, anonymous: true, addsTo });
}
