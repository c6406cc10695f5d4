import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { resetPassword } from "#lib/accounts/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: resetPassword });
