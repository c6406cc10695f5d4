import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listUnansweredIncidents } from "#lib/readers/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listUnansweredIncidents,
});
