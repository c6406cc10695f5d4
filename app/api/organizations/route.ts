import { route } from "#lib/api/endpoint.ts";
import { listOrganizations, createOrganization } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: listOrganizations,
  POST: createOrganization,
});
