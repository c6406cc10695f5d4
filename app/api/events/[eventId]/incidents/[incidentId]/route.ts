import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showIncident } from "#lib/incidents/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: showIncident });
