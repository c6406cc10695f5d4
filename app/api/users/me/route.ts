import { route } from "#lib/http/endpoint.ts";
import { showOwnAccount, deleteOwnAccount } from "#lib/accounts/own-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  GET: showOwnAccount,
  DELETE: deleteOwnAccount,
});
