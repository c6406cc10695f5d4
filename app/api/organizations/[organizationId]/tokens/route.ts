import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { createOrganizationToken, listOrganizationTokens } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listOrganizationTokens,
  POST: createOrganizationToken,
});
