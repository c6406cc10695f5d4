import { route } from "#lib/api/endpoint.ts";
import { removeView } from "#lib/saved-views/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ DELETE: removeView });
