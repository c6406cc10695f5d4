import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { getReceiptChallenge } from "#lib/mailbox/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: getReceiptChallenge });
