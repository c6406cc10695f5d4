import { fork } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { Side } from "./measures.ts";

/**
 * The baseline: a bare HTTP server with one prepared statement, without sessions, permissions, schemas or a framework.
 * Whatever it is asked for, it responds with 20 incidents of the event that the path names.
 */

const NEWEST_INCIDENTS_QUERY = {
  name: "newest",
  text: `select i.*, e.name as event_name, r.name as reporter_name, a.name as assignee_name
    from incidents i join events e on e.id = i.event_id
    left join users r on r.id = i.reporter_id left join users a on a.id = i.assigned_responder_id
    where i.event_id = $1 order by i.created_at desc, i.id desc limit 20`,
};

/** Which measures of the service are compared with it: those in requests per second. */
const MEASURES = ["session", "list", "across", "detail", "comments", "search", "create", "state"];

/** Starts a baseline server on the database of a side. @param closers get what ends it */
export async function openBaseline(
  { databaseUrl }: Side,
  eventIds: readonly string[],
  closers: (() => unknown)[],
): Promise<Side> {
  const child = fork(fileURLToPath(import.meta.url), [databaseUrl], {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    env: { ...process.env, NODE_ENV: "production" },
  });
  closers.push(() => child.kill());
  const [port] = await once(child, "message");
  const requests = eventIds.map((id) => ({ path: `/${id}` }));
  return {
    title: "bare node:http and pg",
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    databaseUrl,
    find: (measure) => (MEASURES.includes(measure) ? requests : undefined),
  };
}

function serve(connectionString: string): void {
  const pool = new pg.Pool({ connectionString, max: 10, application_name: "heed-baseline" });
  const server = http.createServer(async (request, response) => {
    try {
      const { rows } = await pool.query({ ...NEWEST_INCIDENTS_QUERY, values: [request.url?.slice(1)] });
      const body = JSON.stringify({ incidents: rows });
      const length = Buffer.byteLength(body);
      response.writeHead(200, { "content-type": "application/json", "content-length": length }).end(body);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
}

if (process.send && process.argv[2]) serve(process.argv[2]);
