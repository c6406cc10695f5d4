import { route } from "#lib/http/endpoint.ts";
import { listFiles, uploadFiles } from "#lib/evidence/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: listFiles, POST: uploadFiles });
