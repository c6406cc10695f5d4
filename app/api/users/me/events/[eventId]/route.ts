import { route } from "#lib/api/endpoint.ts";
import { leaveOwnEvent } from "#lib/accounts/own-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ DELETE: leaveOwnEvent });
