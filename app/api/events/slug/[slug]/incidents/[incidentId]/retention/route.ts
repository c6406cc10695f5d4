import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { getIncidentRetention } from "#lib/retention/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: getIncidentRetention,
});
