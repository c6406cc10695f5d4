import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { updateRelatedFile, deleteRelatedFile } from "#lib/evidence/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  PATCH: updateRelatedFile,
  DELETE: deleteRelatedFile,
});
