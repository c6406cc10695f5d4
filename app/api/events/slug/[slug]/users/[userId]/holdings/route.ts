import { route } from "#lib/api/endpoint.ts";
import { listHoldings } from "#lib/events/handover.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: listHoldings });
