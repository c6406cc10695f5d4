import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { declineInvitation } from "#lib/invites/invitation-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  DELETE: declineInvitation,
});
