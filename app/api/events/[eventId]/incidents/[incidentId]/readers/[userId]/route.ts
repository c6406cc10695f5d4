import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { putIncidentReader } from "#lib/readers/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ PUT: putIncidentReader });
