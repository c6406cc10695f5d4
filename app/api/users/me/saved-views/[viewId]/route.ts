import { route } from "#lib/http/endpoint.ts";
import { removeView } from "#lib/saved-views/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ DELETE: removeView });
