import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { createIncidentWithoutRole } from "#lib/incidents/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  POST: createIncidentWithoutRole,
});
