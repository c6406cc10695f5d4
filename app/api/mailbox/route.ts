import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { closeMailbox, showMailbox } from "#lib/conversations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showMailbox,
  DELETE: closeMailbox,
});
