import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { letEventUserIn, listIncidentsClosedToEventUser } from "#lib/readers/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listIncidentsClosedToEventUser,
  POST: letEventUserIn,
});
