import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listIncidentMarks } from "#lib/triage/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listIncidentMarks });
