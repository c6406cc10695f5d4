import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { createConflictBypass } from "#lib/conflicts/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: createConflictBypass });
