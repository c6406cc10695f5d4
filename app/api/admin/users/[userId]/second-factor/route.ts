import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { resetSecondFactor } from "#lib/admin/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  DELETE: resetSecondFactor,
});
