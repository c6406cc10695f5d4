import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { changeOrganizationInvite } from "#lib/invites/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  PATCH: changeOrganizationInvite,
});
