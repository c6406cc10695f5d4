import { route } from "#lib/api/endpoint.ts";
import { checkSession } from "#lib/accounts/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: checkSession });
