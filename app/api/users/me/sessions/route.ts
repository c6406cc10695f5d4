import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listOwnSessions, endOtherSessions } from "#lib/own-account/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listOwnSessions,
  DELETE: endOtherSessions,
});
