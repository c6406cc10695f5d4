import { route } from "#lib/http/endpoint.ts";
import { forgotPassword } from "#lib/accounts/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: forgotPassword });
