import { route } from "#lib/http/endpoint.ts";
import { unpinIncident } from "#lib/pins/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ DELETE: unpinIncident });
