import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { updateRetention, getRetention } from "#lib/retention/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: getRetention,
  PUT: updateRetention,
});
