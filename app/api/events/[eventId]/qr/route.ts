import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showEventQr } from "#lib/invites/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: showEventQr });
