import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { rotateWebhookSecret } from "#lib/webhooks/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: rotateWebhookSecret });
