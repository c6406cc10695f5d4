import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { openIncidentInEmergency } from "#lib/readers/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  POST: openIncidentInEmergency,
});
