import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { downloadLetterboxFile } from "#lib/letterboxes/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: downloadLetterboxFile });
