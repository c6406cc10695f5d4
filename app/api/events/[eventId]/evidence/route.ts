import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { getEvidenceUsage } from "#lib/evidence/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: getEvidenceUsage });
