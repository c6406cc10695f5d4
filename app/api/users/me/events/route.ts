import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listOwnEvents } from "#lib/own-account/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listOwnEvents });
