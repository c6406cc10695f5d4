import { route } from "#lib/http/endpoint.ts";
import { downloadFile } from "#lib/evidence/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: downloadFile });
