import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { putReportedPerson } from "#lib/readers/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ PUT: putReportedPerson });
