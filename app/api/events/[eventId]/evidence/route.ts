import { route } from "#lib/http/endpoint.ts";
import { showUsage } from "#lib/evidence/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showUsage });
