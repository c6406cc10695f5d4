import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { acceptInvitation } from "#lib/invites/invitation-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: acceptInvitation });
