import { showConflictCheck } from "#lib/readers/operations.ts";
import { createRouteHandlers } from "#lib/http/endpoint.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: showConflictCheck });
