import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showEventUser, updateEventUser, deleteEventUser } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showEventUser,
  PATCH: updateEventUser,
  DELETE: deleteEventUser,
});
