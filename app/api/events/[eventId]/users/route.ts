import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listEveryEventUser } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listEveryEventUser });
