import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listOrganizationInvites, createOrganizationInvite } from "#lib/invites/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listOrganizationInvites,
  POST: createOrganizationInvite,
});
