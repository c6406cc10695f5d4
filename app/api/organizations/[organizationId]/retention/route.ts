import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { updateRetention, showRetention } from "#lib/retention/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showRetention,
  PUT: updateRetention,
});
