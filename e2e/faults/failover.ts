import http from "node:http";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { findFreePort } from "#e2e/support/process.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { checkRefusals } from "./database-away.ts";
import type { DatabaseServer } from "./database-server.ts";
import { Findings, formatMilliseconds, type Fault } from "./fault.ts";
import { findProgram, runProgram } from "./programs.ts";
import { checkEverything } from "./integrity-checks.ts";
import { startLoad, type Ledger } from "./load.ts";
import { MAX_FAULT_RESPONSE_MS, Stage } from "./stage.ts";

/** The time until the manager of the servers promotes the standby. */
const DECISION_MS = 2000;

/** Kills the primary under load and promotes its standby; the service knows the addresses of both. */
export const failover: Fault = {
  name: "failover",
  title: "Primary killed under load, its standby promoted; several hosts in DATABASE_URL",
  run: async ({ seed, say }) => {
    const findings = new Findings(say);
    for (const replication of ["synchronous", "asynchronous"] as const)
      await withPair(async (pair) => {
        pair.stage.settings.DATABASE_URL = severalHosts(pair);
        await failOver(pair, findings, { seed, replication });
      });
    return findings;
  },
};

/**
 * Like `failover`, for a service that knows one address: that of HAProxy, which asks each server's manager whether it
 * is the primary.
 */
export const failoverBehindHaproxy: Fault = {
  name: "failover-haproxy",
  title: "Primary killed under load, its standby promoted; behind HAProxy",
  run: async ({ seed, say }) => {
    const findings = new Findings(say);
    const program = findProgram("haproxy");
    if (!program) {
      findings.skipped = "skipped: haproxy is not installed";
      return findings;
    }
    await withPair(async (pair) => {
      const { stage } = pair;
      const managers = await Promise.all([pair.primary, pair.standby].map(manage));
      const port = await findFreePort();
      const file = path.join(stage.folder, "haproxy.cfg");
      fs.writeFileSync(file, haproxyConfiguration(port, pair, managers));
      const haproxy = runProgram(program, ["-db", "-f", file], path.join(stage.folder, "haproxy.log"));
      stage.settings.DATABASE_URL = urlAt(pair.primary, port);
      try {
        await failOver(pair, findings, { seed, replication: "synchronous" });
      } finally {
        await haproxy.end();
        for (const { close } of managers) close();
      }
    });
    return findings;
  },
};

type Pair = { stage: Stage; primary: DatabaseServer; standby: DatabaseServer };

async function withPair(work: (pair: Pair) => Promise<void>): Promise<void> {
  const stage = await Stage.build({ external: true, settings: { LOG_LEVEL: "warn" } });
  const primary = stage.server as DatabaseServer;
  primary.allowReplication();
  const standby = await primary.makeStandby(path.join(stage.folder, "standby"));
  try {
    await work({ stage, primary, standby });
  } finally {
    await Promise.all([primary.stop("SIGQUIT"), standby.stop("SIGQUIT")]);
    await stage.close();
  }
}

function urlAt({ url }: DatabaseServer, port: number): string {
  const at = new URL(url);
  at.port = String(port);
  return at.href;
}

const severalHosts = ({ primary, standby }: Pair) =>
  primary.url.replace(/@[^/]+/, `@127.0.0.1:${primary.port},127.0.0.1:${standby.port}`) +
  "?target_session_attrs=read-write&connect_timeout=2";

type Wish = { seed: number; replication: "synchronous" | "asynchronous" };

async function failOver({ stage, primary, standby }: Pair, findings: Findings, wish: Wish): Promise<void> {
  const { seed, replication } = wish;
  if (replication === "synchronous") primary.configure({ synchronous_standby_names: "standby" });
  // Writes wait for the standby where it is synchronous, so both have to be there.
  await Promise.all([primary.start(), standby.start()]);
  await stage.startWithPeople({ server: false });
  // A service that loses its database before its job worker has started exits, like one that never found its database.
  await waitUntil("the job worker", async () => (await stage.count(WORKERS)) > 0);
  const load = startLoad(stage, { seed, writers: 12 });
  await sleep(3000);
  const began = Date.now();
  await primary.stop("SIGQUIT");
  await waitUntil("readiness to end", async () => (await ready(stage)) === 503);
  await sleep(DECISION_MS);
  const promoted = Date.now();
  standby.promote();
  stage.server = standby;
  await waitUntil("readiness", async () => (await ready(stage)) === 200);
  const back = Date.now();
  await sleep(4000);
  await load.stop();
  const { ledger } = load;
  const firstWrite = Math.min(
    ...ledger
      .between(promoted)
      .filter(({ what, status }) => what === "report" && status === 201)
      .map(({ at, ms }) => at + ms),
  );
  findings.figure(
    `${replication}: ready, and first report taken, after the promotion`,
    `${formatMilliseconds(back - promoted)}, ${formatMilliseconds(firstWrite - promoted)}`,
  );
  findings.figure(
    `${replication}: no report taken for, ${formatMilliseconds(DECISION_MS)} of them until the promotion`,
    formatMilliseconds(firstWrite - began),
  );
  findings.figure(`${replication}: responses meanwhile`, ledger.statuses(ledger.between(began, firstWrite)));
  findings.figure(`${replication}: longest response`, formatMilliseconds(ledger.longestMs));
  findings.expect(
    ledger.longestMs <= MAX_FAULT_RESPONSE_MS,
    `a response took ${formatMilliseconds(ledger.longestMs)}`,
  );
  checkRefusals(
    findings,
    ledger.responses.filter(({ status }) => status >= 500),
  );
  await countLost(stage, findings, ledger, replication);
}

const WORKERS = "select count(*) from pg_stat_activity where application_name = 'heed-jobs-presence'";

const ready = async (stage: Stage) => (await stage.ask("GET", "/api/health/ready")).status;

/**
 * Counts lost writes. A write that a synchronous standby lacks was never acknowledged; an asynchronous standby may lack
 * the last ones.
 */
async function countLost(
  stage: Stage,
  findings: Findings,
  ledger: Ledger,
  replication: Wish["replication"],
): Promise<void> {
  const what = `${replication}: reports acknowledged / lost / half there`;
  if (replication === "synchronous") {
    const { acknowledged, lost, half } = await checkEverything(stage, findings, { ledger });
    return findings.figure(what, `${acknowledged} / ${lost} / ${half}`);
  }
  const rows = await stage.sql<{ id: string }>("select id from incidents");
  const there = new Set(rows.map(({ id }) => id));
  const lost = ledger.acknowledged.filter(({ id }) => !there.has(id ?? ""));
  findings.figure(what, `${ledger.acknowledged.length} / ${lost.length} / not looked at`);
}

type Manager = { port: number; close(): void };

/** Serves what Patroni would: 200 for `/primary` on the primary, 503 elsewhere. */
async function manage(server: DatabaseServer): Promise<Manager> {
  const port = await findFreePort();
  const manager = http.createServer(async (_request, response) => {
    response.statusCode = (await isPrimary(server)) ? 200 : 503;
    response.end();
  });
  manager.listen(port, "127.0.0.1");
  return {
    port,
    close: () => {
      manager.close();
      manager.closeAllConnections();
    },
  };
}

async function isPrimary({ url }: DatabaseServer): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000, query_timeout: 1000 });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>("select pg_is_in_recovery() as standby");
    return rows[0]?.standby === false;
  } catch {
    return false;
  } finally {
    void client.end().catch(() => {});
  }
}

/** The configuration of docs/high-availability.md, with the ports of this run. */
const haproxyConfiguration = (port: number, { primary, standby }: Pair, managers: Manager[]): string => `
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
  server a 127.0.0.1:${primary.port} check port ${managers[0]?.port}
  server b 127.0.0.1:${standby.port} check port ${managers[1]?.port}
`;
