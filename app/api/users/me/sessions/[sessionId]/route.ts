import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { endSession } from "#lib/own-account/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ DELETE: endSession });
