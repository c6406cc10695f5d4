import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { createServiceToken, listServiceTokens } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listServiceTokens,
  POST: createServiceToken,
});
