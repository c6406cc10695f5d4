import { route } from "#lib/http/endpoint.ts";
import { confirmSecondFactor } from "#lib/accounts/own-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: confirmSecondFactor });
