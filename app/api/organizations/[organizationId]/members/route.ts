import { route } from "#lib/http/endpoint.ts";
import { addOrganizationMember, listOrganizationMembers } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: listOrganizationMembers,
  POST: addOrganizationMember,
});
