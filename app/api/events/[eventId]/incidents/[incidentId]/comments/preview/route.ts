import { route } from "#lib/http/endpoint.ts";
import { previewComment } from "#lib/comments/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: previewComment });
