import { route } from "#lib/http/endpoint.ts";
import { resetFactorOfAccount } from "#lib/admin/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ DELETE: resetFactorOfAccount });
