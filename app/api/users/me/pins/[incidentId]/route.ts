import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { unpinIncident } from "#lib/incidents/pin-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ DELETE: unpinIncident });
