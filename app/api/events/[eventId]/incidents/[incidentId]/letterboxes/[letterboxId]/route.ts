import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { closeLetterbox } from "#lib/letterboxes/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ DELETE: closeLetterbox });
