import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { declineOwnInvitation } from "#lib/invitations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  DELETE: declineOwnInvitation,
});
