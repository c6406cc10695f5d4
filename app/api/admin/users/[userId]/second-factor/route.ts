import { route } from "#lib/api/endpoint.ts";
import { resetFactorOfAccount } from "#lib/admin/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ DELETE: resetFactorOfAccount });
