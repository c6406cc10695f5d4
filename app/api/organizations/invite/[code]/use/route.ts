import { route } from "#lib/http/endpoint.ts";
import { useInvite } from "#lib/invites/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: useInvite });
