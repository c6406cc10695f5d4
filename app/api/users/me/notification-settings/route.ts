import { route } from "#lib/http/endpoint.ts";
import { changeNotificationSettings, showNotificationSettings } from "#lib/notifications/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: showNotificationSettings,
  PUT: changeNotificationSettings,
});
