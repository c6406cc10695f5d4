import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { confirmMailboxReceipt } from "#lib/conversations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  POST: confirmMailboxReceipt,
});
