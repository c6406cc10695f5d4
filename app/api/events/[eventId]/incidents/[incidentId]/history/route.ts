import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { getIncidentHistory } from "#lib/incidents/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: getIncidentHistory });
