import { createNonOperationRouteHandlers } from "#lib/http/endpoint.ts";
import { checkLiveness } from "#lib/admin/health-operations.ts";

/**
 * Liveness probe for a supervisor. Uses no database and no session, so it is also the baseline of the
 * benchmark.
 */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createNonOperationRouteHandlers(
  async () =>
    Response.json({ status: "ok" }, { headers: { "Content-Type": "application/json; charset=utf-8" } }),
  checkLiveness,
);
