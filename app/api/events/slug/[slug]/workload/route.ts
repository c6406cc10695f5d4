import { route } from "#lib/http/endpoint.ts";
import { listWorkload } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: listWorkload });
