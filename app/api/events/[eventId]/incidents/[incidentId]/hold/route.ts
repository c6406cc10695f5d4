import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { holdIncident, releaseHold } from "#lib/retention/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  PUT: holdIncident,
  DELETE: releaseHold,
});
