import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { markAllNotificationsRead } from "#lib/notifications/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  PATCH: markAllNotificationsRead,
});
