import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listEventUserAssignments } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listEventUserAssignments,
});
