import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showEvidenceUsage } from "#lib/evidence/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: showEvidenceUsage });
