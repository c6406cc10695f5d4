import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showSettings, updateSettings } from "#lib/admin/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showSettings,
  PATCH: updateSettings,
});
