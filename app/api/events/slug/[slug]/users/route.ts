import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listEventUsers } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listEventUsers });
