import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { changeWebhook, deleteWebhook, showWebhook } from "#lib/webhooks/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showWebhook,
  PATCH: changeWebhook,
  DELETE: deleteWebhook,
});
