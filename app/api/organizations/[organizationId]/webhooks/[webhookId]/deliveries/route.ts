import { route } from "#lib/http/endpoint.ts";
import { listDeliveries } from "#lib/webhooks/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: listDeliveries });
