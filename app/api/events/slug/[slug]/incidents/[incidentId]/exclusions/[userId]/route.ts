import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { deleteExclusion } from "#lib/exclusions/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ DELETE: deleteExclusion });
