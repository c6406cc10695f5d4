import { route } from "#lib/http/endpoint.ts";
import { beginSecondFactor, removeSecondFactor } from "#lib/accounts/own-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: beginSecondFactor,
  DELETE: removeSecondFactor,
});
