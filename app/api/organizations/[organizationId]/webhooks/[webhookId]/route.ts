import { route } from "#lib/http/endpoint.ts";
import { changeWebhook, deleteWebhook, showWebhook } from "#lib/webhooks/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: showWebhook,
  PATCH: changeWebhook,
  DELETE: deleteWebhook,
});
