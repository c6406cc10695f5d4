import { route } from "#lib/http/endpoint.ts";
import { changeReportSettings, showReportSettings } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: showReportSettings,
  PATCH: changeReportSettings,
});
