import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { getConflictCheck, putConflictAnswer } from "#lib/conflicts/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: getConflictCheck,
  PUT: putConflictAnswer,
});
