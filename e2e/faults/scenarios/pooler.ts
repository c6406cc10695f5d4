import fs from "node:fs";
import path from "node:path";
import { findFreePort } from "#e2e/support/process.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { formatMs } from "../ledger.ts";
import { sendReport } from "../load.ts";
import type { Scenario, Scene } from "../scenario.ts";
import { findProgram, lacksProgram, type Stage } from "../stage.ts";

const PROMISED_HOURS = 5;

let stop: () => Promise<void>;

/** PgBouncer between the service and a database whose role has another time zone. */
const behindPgBouncer = {
  stage: { peers: ["database"], settings: { RESPONSE_DEADLINE_HOURS: String(PROMISED_HOURS) } },
  lacks: lacksProgram("pgbouncer"),
  async prepare(stage) {
    await stage.server?.start();
    await stage.sql("alter role heed set timezone = 'America/Bogota'");
    const url = new URL(stage.server?.url ?? "");
    url.port = String(await findFreePort());
    stage.settings.DATABASE_URL = url.href;
    stop = runPgBouncer(stage, "session");
  },
} satisfies Partial<Scenario>;

/** In session mode everything works as without a pooler. */
export const poolerOfSessions: Scenario = {
  ...behindPgBouncer,
  name: "pooler",
  title: "PgBouncer in session mode",
  async disturb(scene) {
    const { stage, ledger } = scene;
    for (let sent = 0; sent < 5; sent += 1) await sendReport(scene, { files: false });
    ledger.equal("reports taken", ledger.acknowledged.length, 5);
    const [times] = await stage.sql<{ age: number; due: number }>(
      `select max(abs(extract(epoch from now() - created_at)))::int as age,
         (select max(extract(epoch from due_at - created_at) / 3600)::int from incidents) as due
       from (select created_at from sessions union all select created_at from incidents) rows`,
    );
    // The time of a report without a name is that of the quarter of an hour.
    const isNow = (times?.age ?? Infinity) < 17 * 60;
    ledger.expect(isNow, `a session or report is ${times?.age} seconds from now`);
    ledger.equal("hours in which a first response is due", times?.due, PROMISED_HOURS);
    ledger.equal("readiness", await stage.health("/ready"), 200);
  },
};

/** Transaction mode is noticed by readiness, and refused at the start. */
export const poolerOfTransactions: Scenario = {
  ...behindPgBouncer,
  name: "pooler-of-transactions",
  title: "PgBouncer in transaction mode",
  async disturb({ stage, ledger }: Scene) {
    await stop();
    runPgBouncer(stage, "transaction");
    const began = Date.now();
    const isNoticed = async () => {
      const { body } = await stage.ask("GET", "/api/health/ready");
      return body.error === "The database doesn't keep sessions.";
    };
    await waitUntil("readiness to find out", isNoticed);
    ledger.figure("Under a running service: readiness is 503 after", formatMs(Date.now() - began));
    await stage.stop();
    const service = stage.launch();
    ledger.equal("exit code of a start", await service.ended, 1);
    const said = /does not keep sessions.*pool_mode = session/.test(service.output());
    ledger.expect(said, `the start does not say why it ends: ${service.output().slice(-300)}`);
  },
};

/** Starts PgBouncer at the port of DATABASE_URL, configured as in docs/operating.md. @returns a function that ends it */
function runPgBouncer(stage: Stage, mode: "session" | "transaction"): () => Promise<void> {
  const folder = path.join(stage.folder, "pgbouncer");
  fs.mkdirSync(folder, { recursive: true });
  const { username, password, port } = new URL(stage.settings.DATABASE_URL ?? "");
  const users = path.join(folder, "users.txt");
  fs.writeFileSync(users, `"${username}" "${password}"\n`);
  const file = path.join(folder, "pgbouncer.ini");
  fs.writeFileSync(
    file,
    `
[databases]
heed = host=127.0.0.1 port=${stage.server?.port} dbname=heed

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = 60
max_client_conn = 200
`,
  );
  // PgBouncer refuses to run as root.
  const as = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  return stage.run(findProgram("pgbouncer") ?? "", [...as, file], path.join(folder, "pgbouncer.log"));
}
