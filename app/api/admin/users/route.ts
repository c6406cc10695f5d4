import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listAllUsers } from "#lib/admin/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listAllUsers });
