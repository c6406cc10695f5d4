import { route } from "#lib/api/endpoint.ts";
import { downloadFile } from "#lib/incidents/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: downloadFile });
