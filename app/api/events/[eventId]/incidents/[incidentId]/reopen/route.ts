import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { reopenIncident } from "#lib/incidents/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ PATCH: reopenIncident });
