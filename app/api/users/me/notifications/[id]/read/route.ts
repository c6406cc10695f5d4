import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { markNotificationRead } from "#lib/notifications/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  PATCH: markNotificationRead,
});
