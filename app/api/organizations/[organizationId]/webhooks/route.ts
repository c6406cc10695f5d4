import { route } from "#lib/http/endpoint.ts";
import { createWebhook, listWebhooks } from "#lib/webhooks/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: listWebhooks, POST: createWebhook });
