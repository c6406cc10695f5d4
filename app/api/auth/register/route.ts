import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { registerAccount } from "#lib/invites/registration-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: registerAccount });
