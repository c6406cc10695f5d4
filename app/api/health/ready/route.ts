import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { checkReadiness } from "#lib/admin/health-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: checkReadiness });
