import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showConflictCheck, putConflictAnswer } from "#lib/conflicts/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showConflictCheck,
  PUT: putConflictAnswer,
});
