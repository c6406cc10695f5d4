import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { changeIncident, getIncident } from "#lib/incidents/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: getIncident,
  PATCH: changeIncident,
});
