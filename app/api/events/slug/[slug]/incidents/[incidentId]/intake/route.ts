import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showIntake } from "#lib/conversations/intake-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: showIntake });
