import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { closeConversation } from "#lib/conversations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ DELETE: closeConversation });
