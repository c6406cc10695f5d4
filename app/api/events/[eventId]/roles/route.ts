import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { grantEventRole, revokeEventRole } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  POST: grantEventRole,
  DELETE: revokeEventRole,
});
