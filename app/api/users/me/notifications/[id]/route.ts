import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { removeNotification } from "#lib/notifications/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ DELETE: removeNotification });
