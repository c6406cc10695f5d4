import { route } from "#lib/http/endpoint.ts";
import { readAllNotifications } from "#lib/notifications/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ PATCH: readAllNotifications });
