import { route } from "#lib/http/endpoint.ts";
import { acceptOwnInvitation } from "#lib/invitations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: acceptOwnInvitation });
