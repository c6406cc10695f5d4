import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listOwnInvitations } from "#lib/invitations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listOwnInvitations });
