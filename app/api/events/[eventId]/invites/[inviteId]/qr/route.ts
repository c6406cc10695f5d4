import { route } from "#lib/http/endpoint.ts";
import { showInviteQr } from "#lib/invites/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showInviteQr });
