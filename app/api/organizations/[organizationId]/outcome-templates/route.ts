import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { changeOutcomeTemplates, showOutcomeTemplates } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showOutcomeTemplates,
  PUT: changeOutcomeTemplates,
});
