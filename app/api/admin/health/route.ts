import { route } from "#lib/api/endpoint.ts";
import { showHealth } from "#lib/admin/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showHealth });
