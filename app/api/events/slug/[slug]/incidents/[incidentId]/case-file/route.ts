import { downloadCaseFile } from "#lib/analytics/operations.ts";
import { createRouteHandlers } from "#lib/http/endpoint.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: downloadCaseFile });
