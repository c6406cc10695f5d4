import { route } from "#lib/api/endpoint.ts";
import { checkReadiness } from "#lib/health/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: checkReadiness });
