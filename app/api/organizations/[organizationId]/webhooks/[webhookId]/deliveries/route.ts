import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listWebhookDeliveries } from "#lib/webhooks/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listWebhookDeliveries });
