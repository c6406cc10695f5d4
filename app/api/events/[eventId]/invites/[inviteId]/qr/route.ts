import { route } from "#lib/http/endpoint.ts";
import { showInviteQr } from "#lib/invites/qr.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showInviteQr });
