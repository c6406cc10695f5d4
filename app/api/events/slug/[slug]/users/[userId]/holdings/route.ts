import { route } from "#lib/http/endpoint.ts";
import { listHoldings } from "#lib/events/handover.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: listHoldings });
