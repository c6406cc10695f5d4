import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { setHold, releaseHold } from "#lib/retention/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  PUT: setHold,
  DELETE: releaseHold,
});
