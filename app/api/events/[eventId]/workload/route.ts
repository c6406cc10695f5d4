import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listWorkload } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listWorkload });
