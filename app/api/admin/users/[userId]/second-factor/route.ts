import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { resetAccountSecondFactor } from "#lib/admin/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  DELETE: resetAccountSecondFactor,
});
