import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { verifyEmail } from "#lib/accounts/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: verifyEmail });
