import { submitReceiptSavedConfirmation } from "../saved-receipt.ts";

/** Records that the page of the receipt has copied or printed its words; 409 once its mailbox isn't the open one. */
export async function POST(request: Request): Promise<Response> {
  const saved = await submitReceiptSavedConfirmation(request);
  return new Response(null, { status: saved.ok ? 204 : 409 });
}
