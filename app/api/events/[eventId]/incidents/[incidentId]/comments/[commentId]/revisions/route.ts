import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listCommentRevisions } from "#lib/comments/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listCommentRevisions });
