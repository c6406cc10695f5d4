import { route } from "#lib/api/endpoint.ts";
import { unmarkIncidentUnread } from "#lib/triage/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ DELETE: unmarkIncidentUnread });
