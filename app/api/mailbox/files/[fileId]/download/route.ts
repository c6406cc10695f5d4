import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { downloadMailboxFile } from "#lib/conversations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: downloadMailboxFile });
