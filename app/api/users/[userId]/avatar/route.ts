import { route } from "#lib/api/endpoint.ts";
import { showAvatar } from "#lib/accounts/avatar.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showAvatar });
