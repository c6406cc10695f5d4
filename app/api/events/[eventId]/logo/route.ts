import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showEventLogo, uploadEventLogo } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showEventLogo,
  POST: uploadEventLogo,
});
