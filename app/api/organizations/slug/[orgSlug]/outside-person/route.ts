import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showOutsidePerson, updateOutsidePerson } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showOutsidePerson,
  PUT: updateOutsidePerson,
});
