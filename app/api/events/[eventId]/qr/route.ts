import { route } from "#lib/api/endpoint.ts";
import { showEventQr } from "#lib/invites/qr.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showEventQr });
