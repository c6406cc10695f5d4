import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { markIncidentUnread } from "#lib/incidents/inbox-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: markIncidentUnread });
