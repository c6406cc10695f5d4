import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { addOrganizationMember, listOrganizationMembers } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listOrganizationMembers,
  POST: addOrganizationMember,
});
