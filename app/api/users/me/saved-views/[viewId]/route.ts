import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { removeView } from "#lib/incidents/saved-view-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ DELETE: removeView });
