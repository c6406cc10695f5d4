import { route } from "#lib/api/endpoint.ts";
import { addOrganizationMember } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: addOrganizationMember });
