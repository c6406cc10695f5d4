import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { changeOrganizationMember, removeOrganizationMember } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  PUT: changeOrganizationMember,
  DELETE: removeOrganizationMember,
});
