import { route } from "#lib/api/endpoint.ts";
import { showAnalytics } from "#lib/analytics/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showAnalytics });
