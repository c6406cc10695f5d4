import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { viewInvite } from "#lib/invites/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: viewInvite });
