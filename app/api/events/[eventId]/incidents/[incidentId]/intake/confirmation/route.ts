import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { confirmIntake } from "#lib/conversations/intake-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: confirmIntake });
