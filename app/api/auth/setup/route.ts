import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { checkSetup } from "#lib/accounts/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: checkSetup });
