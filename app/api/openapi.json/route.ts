import { showOpenApiDocument } from "#app/api/description.ts";
import { createRouteHandlers } from "#lib/http/endpoint.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: showOpenApiDocument });
