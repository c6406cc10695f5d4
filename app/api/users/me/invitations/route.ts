import { route } from "#lib/api/endpoint.ts";
import { listOwnInvitations } from "#lib/invitations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: listOwnInvitations });
