import { route } from "#lib/http/endpoint.ts";
import { listInvites, createInvite } from "#lib/invites/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: listInvites, POST: createInvite });
