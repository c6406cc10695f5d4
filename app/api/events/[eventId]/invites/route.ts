import { route } from "#lib/http/endpoint.ts";
import { createEventInvite, listEventInvites } from "#lib/invites/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: listEventInvites,
  POST: createEventInvite,
});
