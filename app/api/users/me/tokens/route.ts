import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listTokens, createApiToken } from "#lib/own-account/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listTokens,
  POST: createApiToken,
});
