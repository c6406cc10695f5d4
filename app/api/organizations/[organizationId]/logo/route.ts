import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showOrganizationLogo, uploadOrganizationLogo } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showOrganizationLogo,
  POST: uploadOrganizationLogo,
});
