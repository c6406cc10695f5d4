import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { updatePresence } from "#lib/live/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: updatePresence });
