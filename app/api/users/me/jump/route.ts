import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { searchJumpTargets } from "#lib/incidents/jump-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: searchJumpTargets });
