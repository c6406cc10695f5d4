import { createProbeHandlers } from "#lib/http/endpoint.ts";
import { checkLiveness } from "#lib/health/operations.ts";

/** The process answers. No database, no session: a probe for a supervisor, and the floor of the benchmark. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = createProbeHandlers(
  async () =>
    Response.json({ status: "ok" }, { headers: { "Content-Type": "application/json; charset=utf-8" } }),
  checkLiveness,
);
