import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { addIncidentPerson, listIncidentPeople } from "#lib/people/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listIncidentPeople,
  POST: addIncidentPerson,
});
