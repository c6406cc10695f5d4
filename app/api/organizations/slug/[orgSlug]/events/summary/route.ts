import { route } from "#lib/api/endpoint.ts";
import { showEventsSummary } from "#lib/analytics/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showEventsSummary });
