import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { leaveMailbox, openMailbox } from "#lib/conversations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  POST: openMailbox,
  DELETE: leaveMailbox,
});
