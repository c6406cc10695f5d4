import { route } from "#lib/http/endpoint.ts";
import { createIncident, listIncidentsBySlug } from "#lib/incidents/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: listIncidentsBySlug,
  POST: createIncident,
});
