import { route } from "#lib/http/endpoint.ts";
import { listTokens, createApiToken } from "#lib/own-account/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: listTokens, POST: createApiToken });
