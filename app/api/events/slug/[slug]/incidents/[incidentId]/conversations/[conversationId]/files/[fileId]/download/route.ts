import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { downloadConversationFile } from "#lib/conversations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: downloadConversationFile,
});
