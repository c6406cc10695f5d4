import { route } from "#lib/http/endpoint.ts";
import { showHistory } from "#lib/incidents/history.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showHistory });
