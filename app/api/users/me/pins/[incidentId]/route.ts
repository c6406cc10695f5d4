import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { unpinIncident } from "#lib/pins/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ DELETE: unpinIncident });
