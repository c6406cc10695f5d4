import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showOrganization } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: showOrganization });
