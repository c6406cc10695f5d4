import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { joinIncidentPerson } from "#lib/people/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: joinIncidentPerson });
