import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { exportMatchingIncidents } from "#lib/analytics/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: exportMatchingIncidents,
});
