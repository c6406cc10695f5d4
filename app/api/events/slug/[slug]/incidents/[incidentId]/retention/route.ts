import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showIncidentRetention } from "#lib/retention/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showIncidentRetention,
});
