import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { retitleIncidentByEventSlug } from "#lib/incidents/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  PATCH: retitleIncidentByEventSlug,
});
