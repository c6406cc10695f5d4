import { route } from "#lib/http/endpoint.ts";
import { listOrganizationEvents, createEvent } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: listOrganizationEvents,
  POST: createEvent,
});
