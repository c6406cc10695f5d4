import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { createExclusion, listIncidentExclusions } from "#lib/exclusions/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listIncidentExclusions,
  POST: createExclusion,
});
