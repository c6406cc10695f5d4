import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { createComment, listComments } from "#lib/conversations/comment-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listComments,
  POST: createComment,
});
