import { route } from "#lib/http/endpoint.ts";
import { showEventsSummary } from "#lib/analytics/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showEventsSummary });
