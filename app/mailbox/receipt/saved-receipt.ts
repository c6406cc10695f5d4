import { submitFormToOperation, type FormResult } from "#lib/http/form.ts";
import { readFormIfWithinLimit } from "#lib/http/small-form.ts";
import { saveReceipt } from "#lib/conversations/operations.ts";

const MAX_FORM_CONTENT_BYTES = 2048;

/** Records that the words of the page's mailbox are saved, if it is still the one that is open on this device. */
export async function submitReceiptSavedConfirmation(request: Request): Promise<FormResult<unknown>> {
  const form = (await readFormIfWithinLimit(request, MAX_FORM_CONTENT_BYTES)) ?? new FormData();
  return submitFormToOperation(saveReceipt, {}, form);
}
