import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { createEventInvite, listEventInvites } from "#lib/invites/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listEventInvites,
  POST: createEventInvite,
});
