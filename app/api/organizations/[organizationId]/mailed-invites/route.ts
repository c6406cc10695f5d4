import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { mailOrganizationInvites } from "#lib/invites/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  POST: mailOrganizationInvites,
});
