import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showPublicEvent, updateEvent } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showPublicEvent,
  PATCH: updateEvent,
});
