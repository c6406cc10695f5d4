import { route } from "#lib/api/endpoint.ts";
import { downloadOriginal } from "#lib/evidence/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: downloadOriginal });
