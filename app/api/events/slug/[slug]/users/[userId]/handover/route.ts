import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { handOverOpenIncidents } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  POST: handOverOpenIncidents,
});
