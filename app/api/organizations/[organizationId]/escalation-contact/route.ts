import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showEscalationContact, updateEscalationContact } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showEscalationContact,
  PUT: updateEscalationContact,
});
