import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { createLetterbox, listLetterboxes } from "#lib/letterboxes/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listLetterboxes,
  POST: createLetterbox,
});
