import { route } from "#lib/http/endpoint.ts";
import { jump } from "#lib/jump/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: jump });
