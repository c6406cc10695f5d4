import { route } from "#lib/api/endpoint.ts";
import { showHistory } from "#lib/incidents/history.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showHistory });
