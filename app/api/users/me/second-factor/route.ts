import { route } from "#lib/http/endpoint.ts";
import { beginSecondFactor, removeSecondFactor } from "#lib/own-account/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({
  POST: beginSecondFactor,
  DELETE: removeSecondFactor,
});
