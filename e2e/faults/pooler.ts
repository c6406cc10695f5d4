import fs from "node:fs";
import path from "node:path";
import { findFreePort } from "#e2e/support/process.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { Findings, formatMilliseconds, type Fault } from "./fault.ts";
import { findProgram, runProgram, type Program } from "./programs.ts";
import { checkEverything } from "./integrity-checks.ts";
import { launchService } from "./launch.ts";
import { Ledger, sendReport } from "./load.ts";
import { Stage } from "./stage.ts";

const PROMISED_HOURS = 5;

/**
 * PgBouncer between the service and a database whose role has another time zone. In session mode everything works as
 * without a pooler; transaction mode is refused at the start, and readiness detects it.
 */
export const pooler: Fault = {
  name: "pooler",
  title: "PgBouncer in session and in transaction mode",
  run: async ({ say }) => {
    const findings = new Findings(say);
    const program = findProgram("pgbouncer");
    if (!program) {
      findings.skipped = "skipped: pgbouncer is not installed";
      return findings;
    }
    const stage = await Stage.build({
      external: true,
      settings: { LOG_LEVEL: "warn", RESPONSE_DEADLINE_HOURS: String(PROMISED_HOURS) },
    });
    const pgbouncer = new PgBouncer(program, stage, await findFreePort());
    try {
      await stage.server?.start();
      await stage.sql("alter role heed set timezone = 'America/Bogota'");
      stage.settings.DATABASE_URL = pgbouncer.url;
      pgbouncer.start("session");
      await stage.startWithPeople({ server: false });
      await keepsSessions(stage, findings);
      await losesSessions(stage, findings, pgbouncer);
    } finally {
      await pgbouncer.stop();
      await stage.close();
    }
    return findings;
  },
};

async function keepsSessions(stage: Stage, findings: Findings): Promise<void> {
  const ledger = new Ledger();
  for (let sent = 0; sent < 5; sent += 1) await sendReport(stage, { ledger, files: false });
  findings.equal("reports taken", ledger.acknowledged.length, 5);
  const [times] = await stage.sql<{ sessions: number; reports: number; due: number }>(
    `select (select max(abs(extract(epoch from now() - created_at)))::int from sessions) as sessions,
      (select max(abs(extract(epoch from now() - created_at)))::int from incidents) as reports,
      (select max(extract(epoch from due_at - created_at) / 3600)::int from incidents) as due`,
  );
  findings.expect((times?.sessions ?? Infinity) < 120, `a session is ${times?.sessions} seconds from now`);
  findings.expect((times?.reports ?? Infinity) < 120, `a report is ${times?.reports} seconds from now`);
  findings.equal("hours in which a first response is due", times?.due, PROMISED_HOURS);
  findings.equal("readiness", (await stage.ask("GET", "/api/health/ready")).status, 200);
  const { acknowledged, lost, half } = await checkEverything(stage, findings, { ledger });
  findings.figure(
    "Session mode: reports acknowledged / lost / half there",
    `${acknowledged} / ${lost} / ${half}`,
  );
}

async function losesSessions(stage: Stage, findings: Findings, pgbouncer: PgBouncer): Promise<void> {
  await pgbouncer.stop();
  pgbouncer.start("transaction");
  const began = Date.now();
  const lost = async () =>
    (await stage.ask("GET", "/api/health/ready")).body.error === "The database doesn't keep sessions.";
  await waitUntil("readiness to find out", lost);
  findings.figure(
    "Transaction mode under a running service: readiness is 503 after",
    formatMilliseconds(Date.now() - began),
  );
  await stage.stop();
  const service = launchService({ ...stage.settings, HEED_DATA_DIR: stage.dataDir });
  findings.equal("exit code of a start in transaction mode", await service.ended, 1);
  const said = /does not keep sessions.*pool_mode = session/.exec(service.output());
  findings.expect(said !== null, `the start does not say why it ends: ${service.output().slice(-300)}`);
  findings.figure("Transaction mode at the start", "refused, with what to do");
}

class PgBouncer {
  readonly url: string;
  readonly #program: string;
  readonly #stage: Stage;
  readonly #port: number;
  #running: Program | undefined;

  constructor(program: string, stage: Stage, port: number) {
    this.#program = program;
    this.#stage = stage;
    this.#port = port;
    const url = new URL(stage.server?.url ?? "");
    url.port = String(port);
    this.url = url.href;
  }

  start(mode: "session" | "transaction"): void {
    const folder = path.join(this.#stage.folder, "pgbouncer");
    fs.mkdirSync(folder, { recursive: true });
    const { username, password, port } = new URL(this.#stage.server?.url ?? "");
    const users = path.join(folder, "users.txt");
    fs.writeFileSync(users, `"${username}" "${password}"\n`);
    const file = path.join(folder, "pgbouncer.ini");
    fs.writeFileSync(file, configuration({ mode, users, from: this.#port, to: port }));
    // PgBouncer refuses to run as root.
    const as = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
    this.#running = runProgram(this.#program, [...as, file], path.join(folder, "pgbouncer.log"));
  }

  async stop(): Promise<void> {
    await this.#running?.end();
  }
}

/** The configuration of docs/operating.md, with the ports of this run. */
const configuration = ({
  mode,
  users,
  from,
  to,
}: Record<"mode" | "users" | "from", unknown> & { to: string }) => `
[databases]
heed = host=127.0.0.1 port=${to} dbname=heed

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${from}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = 60
max_client_conn = 200
`;
