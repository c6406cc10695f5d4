import { route } from "#lib/http/endpoint.ts";
import { showOrganizationLogo, uploadOrganizationLogo } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: showOrganizationLogo,
  POST: uploadOrganizationLogo,
});
