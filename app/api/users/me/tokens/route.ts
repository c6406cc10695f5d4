import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listTokens, createToken } from "#lib/own-account/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listTokens,
  POST: createToken,
});
