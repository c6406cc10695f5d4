import { route } from "#lib/api/endpoint.ts";
import { viewAnyInvite } from "#lib/invites/event-invites.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: viewAnyInvite });
