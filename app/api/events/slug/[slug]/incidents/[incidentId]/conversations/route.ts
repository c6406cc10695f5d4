import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { createConversation, listConversations } from "#lib/conversations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: listConversations,
  POST: createConversation,
});
