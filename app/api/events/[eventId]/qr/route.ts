import { route } from "#lib/http/endpoint.ts";
import { showEventQr } from "#lib/invites/qr.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showEventQr });
