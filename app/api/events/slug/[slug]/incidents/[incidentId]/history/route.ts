import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showIncidentHistory } from "#lib/incidents/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: showIncidentHistory });
