import { route } from "#lib/http/endpoint.ts";
import { createIncident, listIncidentsById } from "#lib/incidents/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: listIncidentsById,
  POST: createIncident,
});
