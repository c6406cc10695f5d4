import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { testMail } from "#lib/admin/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: testMail });
