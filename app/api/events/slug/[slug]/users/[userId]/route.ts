import { route } from "#lib/http/endpoint.ts";
import { showEventUser, updateEventUser, deleteEventUser } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: showEventUser,
  PATCH: updateEventUser,
  DELETE: deleteEventUser,
});
