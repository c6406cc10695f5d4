import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listPeopleInReports } from "#lib/people/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listPeopleInReports });
