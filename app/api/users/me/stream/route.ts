import { route } from "#lib/http/endpoint.ts";
import { followLive } from "#lib/live/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: followLive });
