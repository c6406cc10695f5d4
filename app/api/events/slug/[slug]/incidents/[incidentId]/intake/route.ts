import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showIntake } from "#lib/intake/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: showIntake });
