import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listOwnReferrals } from "#lib/exclusions/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listOwnReferrals });
