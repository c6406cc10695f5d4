import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listAllEvents } from "#lib/admin/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listAllEvents });
