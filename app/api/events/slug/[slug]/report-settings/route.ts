import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { changeReportSettings, showReportSettings } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showReportSettings,
  PATCH: changeReportSettings,
});
