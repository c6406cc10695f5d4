import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listOrganizationEvents, createEvent } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listOrganizationEvents,
  POST: createEvent,
});
