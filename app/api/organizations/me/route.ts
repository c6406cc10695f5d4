import { route } from "#lib/api/endpoint.ts";
import { listOwnOrganizations } from "#lib/organizations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: listOwnOrganizations });
