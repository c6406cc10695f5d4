import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listIncidentRefs } from "#lib/incidents/inbox-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listIncidentRefs });
