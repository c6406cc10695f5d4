import { route } from "#lib/http/endpoint.ts";
import { changeAccount, showUser } from "#lib/admin/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: showUser, PATCH: changeAccount });
