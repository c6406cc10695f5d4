import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { openOriginal } from "#lib/evidence/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: openOriginal });
