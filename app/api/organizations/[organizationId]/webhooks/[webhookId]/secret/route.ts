import { route } from "#lib/http/endpoint.ts";
import { rotateWebhookSecret } from "#lib/webhooks/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: rotateWebhookSecret });
