import { route } from "#lib/http/endpoint.ts";
import { listOwnEvents } from "#lib/own-account/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: listOwnEvents });
