import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listInvitations } from "#lib/invitations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listInvitations });
