import { createOpenedTagResponse } from "#components/mailbox/opened-response.ts";
import { showLetterbox } from "#lib/letterboxes/operations.ts";

/** Returns the tag of the letterbox that is open on this device, as text; blank if none is. */
export const GET = (): Promise<Response> => createOpenedTagResponse("letterbox.use", showLetterbox);
