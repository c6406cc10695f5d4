import { route } from "#lib/http/endpoint.ts";
import { retitleIncidentBySlug } from "#lib/incidents/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ PATCH: retitleIncidentBySlug });
