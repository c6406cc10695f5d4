import { route } from "#lib/http/endpoint.ts";
import { showPublicEvent, updateEvent } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showPublicEvent, PATCH: updateEvent });
