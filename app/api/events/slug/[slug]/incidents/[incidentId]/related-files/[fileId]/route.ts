import { route } from "#lib/http/endpoint.ts";
import { describeFile, removeFile } from "#lib/evidence/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ PATCH: describeFile, DELETE: removeFile });
