import { route } from "#lib/http/endpoint.ts";
import { showOrganization } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showOrganization });
