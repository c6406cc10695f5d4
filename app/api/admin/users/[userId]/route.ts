import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { changeAccount, showUser } from "#lib/admin/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  GET: showUser,
  PATCH: changeAccount,
});
