import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { acceptOwnInvitation } from "#lib/invitations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: acceptOwnInvitation });
