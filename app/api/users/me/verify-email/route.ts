import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { resendVerification } from "#lib/own-account/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({
  POST: resendVerification,
});
