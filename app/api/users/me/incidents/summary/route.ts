import { route } from "#lib/api/endpoint.ts";
import { summarizeIncidents } from "#lib/triage/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: summarizeIncidents });
