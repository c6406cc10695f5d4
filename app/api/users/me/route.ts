import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { showOwnAccount, deleteOwnAccount } from "#lib/own-account/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showOwnAccount,
  DELETE: deleteOwnAccount,
});
