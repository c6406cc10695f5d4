import { route } from "#lib/api/endpoint.ts";
import { listSystemAudit } from "#lib/audit/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: listSystemAudit });
