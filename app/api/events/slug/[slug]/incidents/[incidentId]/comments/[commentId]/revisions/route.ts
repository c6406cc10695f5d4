import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listCommentRevisions } from "#lib/conversations/comment-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listCommentRevisions });
