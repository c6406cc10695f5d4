import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { leaveLetterbox, openLetterbox } from "#lib/letterboxes/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  POST: openLetterbox,
  DELETE: leaveLetterbox,
});
