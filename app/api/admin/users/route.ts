import { route } from "#lib/http/endpoint.ts";
import { listAllUsers } from "#lib/admin/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: listAllUsers });
