import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { viewOrganizationInvite } from "#lib/invites/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: viewOrganizationInvite,
});
