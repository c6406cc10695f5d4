import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { getOfflineKit } from "#lib/intake/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: getOfflineKit });
