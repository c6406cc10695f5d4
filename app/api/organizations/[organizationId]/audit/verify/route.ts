import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { verifyOrganizationAudit } from "#lib/audit-log/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: verifyOrganizationAudit,
});
