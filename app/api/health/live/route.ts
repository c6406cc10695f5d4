import { probe } from "#lib/api/endpoint.ts";

/** The process answers. No database, no session: a probe for a supervisor, and the floor of the benchmark. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = probe(async () =>
  Response.json({ status: "ok" }, { headers: { "Content-Type": "application/json; charset=utf-8" } }),
);
