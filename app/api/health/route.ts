import { route } from "#lib/api/endpoint.ts";
import { checkHealth } from "#lib/health/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: checkHealth });
