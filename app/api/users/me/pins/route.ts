import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listPins, pinIncident } from "#lib/incidents/pin-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listPins,
  POST: pinIncident,
});
