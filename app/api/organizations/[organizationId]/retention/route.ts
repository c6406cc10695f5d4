import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { changeOrganizationRetention, showOrganizationRetention } from "#lib/retention/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showOrganizationRetention,
  PUT: changeOrganizationRetention,
});
