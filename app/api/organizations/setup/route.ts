import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { setUpOrganization } from "#lib/setup/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: setUpOrganization });
