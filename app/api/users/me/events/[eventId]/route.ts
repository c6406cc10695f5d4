import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { leaveEvent } from "#lib/own-account/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ DELETE: leaveEvent });
