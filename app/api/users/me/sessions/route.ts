import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listSessions, endOtherSessions } from "#lib/own-account/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listSessions,
  DELETE: endOtherSessions,
});
