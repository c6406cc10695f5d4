import { route } from "#lib/http/endpoint.ts";
import { registerAccountWithInvite } from "#lib/registration/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: registerAccountWithInvite });
