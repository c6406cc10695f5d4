import { route } from "#lib/http/endpoint.ts";
import { setNewPassword } from "#lib/accounts/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: setNewPassword });
