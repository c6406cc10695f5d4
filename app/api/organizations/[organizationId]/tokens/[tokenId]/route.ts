import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { revokeOrganizationToken } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  DELETE: revokeOrganizationToken,
});
