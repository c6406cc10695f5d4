import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listRelatedFiles, addRelatedFiles } from "#lib/evidence/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listRelatedFiles,
  POST: addRelatedFiles,
});
