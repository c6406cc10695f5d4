import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { exportAccount } from "#lib/own-account/account-export-operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: exportAccount });
