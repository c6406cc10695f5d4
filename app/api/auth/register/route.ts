import { route } from "#lib/http/endpoint.ts";
import { registerAccount } from "#lib/registration/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: registerAccount });
