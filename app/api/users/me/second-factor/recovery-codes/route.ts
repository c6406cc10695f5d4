import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { renewRecoveryCodes } from "#lib/own-account/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ POST: renewRecoveryCodes });
