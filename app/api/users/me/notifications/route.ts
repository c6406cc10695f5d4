import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listNotifications } from "#lib/notifications/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listNotifications });
