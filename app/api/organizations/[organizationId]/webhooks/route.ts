import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { createWebhook, listWebhooks } from "#lib/webhooks/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listWebhooks,
  POST: createWebhook,
});
