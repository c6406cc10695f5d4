import { createOpenedTagResponse } from "#components/mailbox/opened-response.ts";
import { showMailbox } from "#lib/mailbox/operations.ts";

/** Returns the tag of the mailbox that is open on this device, as text; blank if none is. */
export const GET = (): Promise<Response> => createOpenedTagResponse("mailbox.use", showMailbox);
