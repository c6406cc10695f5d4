import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listInvitations } from "#lib/invites/invitation-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listInvitations });
