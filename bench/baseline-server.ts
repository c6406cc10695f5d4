import http from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";

/**
 * The baseline for every list: a bare HTTP server with one prepared statement, without sessions, permissions, schemas
 * or a framework. `node bench/baseline-server.ts <database url>` prints the port that it uses; `GET /<event id>` returns 20
 * incidents.
 */

const pool = new pg.Pool({ connectionString: process.argv[2], max: 10, application_name: "heed-baseline" });

const NEWEST_INCIDENTS_QUERY = {
  name: "newest",
  text: `select i.*, e.name as event_name, r.name as reporter_name, a.name as assignee_name
    from incidents i join events e on e.id = i.event_id
    left join users r on r.id = i.reporter_id left join users a on a.id = i.assigned_responder_id
    where i.event_id = $1 order by i.created_at desc, i.id desc limit 20`,
};

const server = http.createServer(async (request, response) => {
  try {
    const { rows } = await pool.query({ ...NEWEST_INCIDENTS_QUERY, values: [request.url?.slice(1)] });
    const body = JSON.stringify({ incidents: rows });
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});

server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
