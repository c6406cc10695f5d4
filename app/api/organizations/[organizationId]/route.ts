import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showOrganization, updateOrganization, deleteOrganization } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showOrganization,
  PUT: updateOrganization,
  DELETE: deleteOrganization,
});
