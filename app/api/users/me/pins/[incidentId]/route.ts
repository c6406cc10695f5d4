import { route } from "#lib/api/endpoint.ts";
import { unpinIncident } from "#lib/pins/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ DELETE: unpinIncident });
