import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { createLetterboxCode } from "#lib/letterboxes/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: createLetterboxCode });
