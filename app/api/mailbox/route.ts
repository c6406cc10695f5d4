import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { closeMailbox, getMailbox } from "#lib/mailbox/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: getMailbox,
  DELETE: closeMailbox,
});
