import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { createIncident, listIncidentsByEventSlug } from "#lib/incidents/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listIncidentsByEventSlug,
  POST: createIncident,
});
