import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listInvites, createInvite } from "#lib/invites/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listInvites,
  POST: createInvite,
});
