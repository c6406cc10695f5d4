import { route } from "#lib/http/endpoint.ts";
import { listOrganizations, createOrganization } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: listOrganizations,
  POST: createOrganization,
});
