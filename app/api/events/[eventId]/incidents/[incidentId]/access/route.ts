import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showIncidentAccess } from "#lib/incidents/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: showIncidentAccess });
