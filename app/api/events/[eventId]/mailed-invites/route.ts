import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { mailEventInvites } from "#lib/invites/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: mailEventInvites });
