import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listSavedViews, saveView } from "#lib/incidents/saved-view-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listSavedViews,
  POST: saveView,
});
