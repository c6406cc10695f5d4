import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "#e2e/support/process.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import type { DatabaseServer } from "../database-server.ts";
import { formatMs } from "../ledger.ts";
import { startLoad } from "../load.ts";
import type { Scenario, Scene } from "../scenario.ts";
import { findProgram, lacksProgram, type Stage } from "../stage.ts";

/** The time until the manager of the servers promotes the standby. */
const DECISION_MS = 2000;

let standby: DatabaseServer;

const SYNCHRONOUS = { synchronous_standby_names: "standby" };

/** The primary is killed under load and its standby promoted; the service knows the addresses of both. */
export const failover: Scenario = {
  name: "failover",
  title: "Primary killed under load, its synchronous standby promoted; several hosts in DATABASE_URL",
  stage: { peers: ["database"] },
  prepare: (stage) => prepareForSeveralHosts(stage, SYNCHRONOUS),
  disturb: failOver,
};

export const failoverAsynchronous: Scenario = {
  ...failover,
  name: "failover-asynchronous",
  title: "The same with an asynchronous standby, which may lack the last reports",
  prepare: (stage) => prepareForSeveralHosts(stage, {}),
  loses: true,
};

/** The service knows one address, of HAProxy, which asks each server's manager whether it is the primary. */
export const failoverBehindHaproxy: Scenario = {
  ...failover,
  name: "failover-haproxy",
  title: "Primary killed under load, its standby promoted; behind HAProxy",
  lacks: lacksProgram("haproxy"),
  async prepare(stage) {
    const primary = await prepareStandby(stage, SYNCHRONOUS);
    const port = await findFreePort();
    const file = path.join(stage.folder, "haproxy.cfg");
    const managers = [await manage(stage, primary), await manage(stage, standby)];
    fs.writeFileSync(file, configureHaproxy(port, [primary, standby], managers));
    stage.run(findProgram("haproxy") ?? "", ["-db", "-f", file], `${file}.log`);
    stage.settings.DATABASE_URL = primary.url.replace(`:${primary.port}/`, `:${port}/`);
  },
};

async function prepareForSeveralHosts(stage: Stage, settings: Record<string, string>): Promise<void> {
  const { url, port } = await prepareStandby(stage, settings);
  const hosts = `@127.0.0.1:${port},127.0.0.1:${standby.port}/`;
  const options = "?target_session_attrs=read-write&connect_timeout=2";
  stage.settings.DATABASE_URL = url.replace(/@[^/]+\//, hosts) + options;
}

/** Starts both servers: writes wait for a synchronous standby. @returns the primary */
async function prepareStandby(stage: Stage, settings: Record<string, string>): Promise<DatabaseServer> {
  const primary = stage.server as DatabaseServer;
  standby = await primary.makeStandby(path.join(stage.folder, "standby"));
  primary.configure(settings);
  stage.onClose(() => Promise.all([primary.stop("SIGQUIT"), standby.stop("SIGQUIT")]));
  await Promise.all([primary.start(), standby.start()]);
  return primary;
}

async function failOver(scene: Scene): Promise<void> {
  const { stage, ledger } = scene;
  // A service that loses its database before its job worker has started exits, like one that never found its database.
  const workers = "select count(*) from pg_stat_activity where application_name = 'heed-jobs-presence'";
  await waitUntil("the job worker", async () => (await stage.count(workers)) > 0);
  const load = startLoad(scene, 12);
  await sleep(3000);
  const began = Date.now();
  await stage.server?.stop("SIGQUIT");
  await waitUntil("readiness to end", async () => (await stage.health("/ready")) === 503);
  await sleep(DECISION_MS);
  const promoted = Date.now();
  standby.promote();
  stage.server = standby;
  await waitUntil("readiness", async () => (await stage.health("/ready")) === 200);
  const ready = Date.now();
  await sleep(4000);
  await load.stop();
  const first = ledger.firstReportSince(promoted);
  const times = [ready - promoted, first - promoted].map(formatMs).join(", ");
  ledger.figure("Ready, and first report taken, after the promotion", times);
  ledger.figure(
    `No report taken for (${formatMs(DECISION_MS)} until the promotion)`,
    formatMs(first - began),
  );
}

/** Serves what Patroni would: 200 for `/primary` on the primary, 503 elsewhere. @returns the port */
async function manage(stage: Stage, server: DatabaseServer): Promise<number> {
  const port = await findFreePort();
  const manager = http.createServer(async (_request, response) => {
    response.writeHead((await server.ask()) === "primary" ? 200 : 503).end();
  });
  manager.listen(port, "127.0.0.1");
  stage.onClose(() => {
    manager.close();
    manager.closeAllConnections();
  });
  return port;
}

/** The configuration of docs/high-availability.md, with the ports of this run. */
const configureHaproxy = (port: number, [a, b]: DatabaseServer[], managers: number[]): string => `
defaults
  mode tcp
  timeout connect 3s
  timeout client 30m
  timeout server 30m

listen heed_database
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
  server a 127.0.0.1:${a?.port} check port ${managers[0]}
  server b 127.0.0.1:${b?.port} check port ${managers[1]}
`;
