import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listOwnOrganizations } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listOwnOrganizations });
