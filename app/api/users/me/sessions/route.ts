import { route } from "#lib/http/endpoint.ts";
import { listOwnSessions, endOtherSessions } from "#lib/accounts/own-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: listOwnSessions,
  DELETE: endOtherSessions,
});
