import { route } from "#lib/http/endpoint.ts";
import { verifySystemAudit } from "#lib/audit-log/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: verifySystemAudit });
