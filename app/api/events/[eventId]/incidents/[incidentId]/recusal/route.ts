import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { createRecusal } from "#lib/exclusions/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: createRecusal });
