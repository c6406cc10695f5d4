import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { getEscalationContact, updateEscalationContact } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: getEscalationContact,
  PUT: updateEscalationContact,
});
