import { route } from "#lib/http/endpoint.ts";
import { downloadOriginal } from "#lib/evidence/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: downloadOriginal });
