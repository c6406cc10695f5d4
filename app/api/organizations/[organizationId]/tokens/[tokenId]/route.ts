import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { revokeServiceToken } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  DELETE: revokeServiceToken,
});
