import { route } from "#lib/http/endpoint.ts";
import { tellPresence } from "#lib/live/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: tellPresence });
