import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { previewComment } from "#lib/comments/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: previewComment });
