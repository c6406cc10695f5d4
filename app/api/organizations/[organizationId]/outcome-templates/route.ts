import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { updateOutcomeTemplates, listOutcomeTemplates } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listOutcomeTemplates,
  PUT: updateOutcomeTemplates,
});
