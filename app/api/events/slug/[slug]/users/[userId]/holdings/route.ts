import { route } from "#lib/http/endpoint.ts";
import { listHoldings } from "#lib/events/operations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: listHoldings });
