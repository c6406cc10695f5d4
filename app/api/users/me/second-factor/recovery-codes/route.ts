import { route } from "#lib/http/endpoint.ts";
import { renewRecoveryCodes } from "#lib/own-account/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: renewRecoveryCodes });
