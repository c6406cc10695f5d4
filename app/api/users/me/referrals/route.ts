import { createRouteHandlers } from "#lib/http/endpoint.ts";
import { listOwnReferrals } from "#lib/readers/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createRouteHandlers({ GET: listOwnReferrals });
