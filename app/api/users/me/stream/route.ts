import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { followLive } from "#lib/live/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: followLive });
