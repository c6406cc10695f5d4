import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showInviteQr } from "#lib/invites/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: showInviteQr });
