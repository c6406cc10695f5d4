import { route } from "#lib/http/endpoint.ts";
import { renewRecoveryCodes } from "#lib/accounts/own-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: renewRecoveryCodes });
