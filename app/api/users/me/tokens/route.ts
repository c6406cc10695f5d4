import { route } from "#lib/http/endpoint.ts";
import { listTokens, createApiToken } from "#lib/accounts/own-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: listTokens, POST: createApiToken });
