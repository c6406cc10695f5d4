import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listOrganizations, createOrganization } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listOrganizations,
  POST: createOrganization,
});
