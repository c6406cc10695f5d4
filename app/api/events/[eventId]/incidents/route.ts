import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { createIncident, listIncidentsByEventId } from "#lib/incidents/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listIncidentsByEventId,
  POST: createIncident,
});
