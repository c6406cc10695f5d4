import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { changeNotificationSettings, showNotificationSettings } from "#lib/notifications/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showNotificationSettings,
  PUT: changeNotificationSettings,
});
