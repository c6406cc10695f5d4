import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { changeComment, deleteComment } from "#lib/conversations/comment-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  PATCH: changeComment,
  DELETE: deleteComment,
});
