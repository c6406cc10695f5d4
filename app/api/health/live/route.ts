/** The process answers. No database, no session: a probe for a supervisor, and the floor of the benchmark. */
export const GET = () => Response.json({ status: "ok" });
