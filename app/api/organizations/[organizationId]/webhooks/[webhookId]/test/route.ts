import { route } from "#lib/http/endpoint.ts";
import { testWebhook } from "#lib/webhooks/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: testWebhook });
