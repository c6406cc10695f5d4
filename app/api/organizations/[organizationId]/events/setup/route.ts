import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { setUpEvent } from "#lib/setup/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: setUpEvent });
