import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listMyPins, pinIncident } from "#lib/pins/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listMyPins,
  POST: pinIncident,
});
