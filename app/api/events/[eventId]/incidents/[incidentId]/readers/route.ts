import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { deleteReaderList, listIncidentReaders } from "#lib/readers/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listIncidentReaders,
  DELETE: deleteReaderList,
});
