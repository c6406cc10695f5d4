import { route } from "#lib/api/endpoint.ts";
import { declineOwnInvitation } from "#lib/invitations/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ DELETE: declineOwnInvitation });
