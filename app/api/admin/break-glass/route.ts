import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { openHiddenIncident } from "#lib/readers/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: openHiddenIncident });
