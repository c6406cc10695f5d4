import { route } from "#lib/http/endpoint.ts";
import { showAnalytics } from "#lib/analytics/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showAnalytics });
