import { route } from "#lib/http/endpoint.ts";
import { retitleIncidentById } from "#lib/incidents/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ PATCH: retitleIncidentById });
