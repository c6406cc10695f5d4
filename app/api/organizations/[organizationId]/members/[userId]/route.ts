import { route } from "#lib/http/endpoint.ts";
import { changeOrganizationMember, removeOrganizationMember } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  PUT: changeOrganizationMember,
  DELETE: removeOrganizationMember,
});
