import { route } from "#lib/http/endpoint.ts";
import { createEventInvite, listEventInvites } from "#lib/invites/event-invites.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: listEventInvites,
  POST: createEventInvite,
});
