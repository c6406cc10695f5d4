import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showLetterbox } from "#lib/letterboxes/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: showLetterbox });
