import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { changeIncidentPerson, removeIncidentPerson } from "#lib/people/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  PATCH: changeIncidentPerson,
  DELETE: removeIncidentPerson,
});
