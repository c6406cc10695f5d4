import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listIncidentsWithoutReader } from "#lib/readers/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listIncidentsWithoutReader,
});
