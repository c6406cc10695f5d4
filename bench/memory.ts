import fs from "node:fs";
import autocannon from "autocannon";
import pg from "pg";
import type { Running } from "#e2e/support/process.ts";
import { residentMb } from "./process.ts";
import { ROWS, type Known } from "./rows.ts";

/** What service and database hold after minutes of a steady load. */

export type Memory = {
  minutes: number;
  perSecond: number;
  answers: number;
  failures: number;
  /** In MB, at the beginning and after each part of the load. */
  service: number[];
  /** Of all processes of the database server, with shared pages counted once, at the end; MB. */
  database: number;
};

/** What a team and its reporters do in a minute: mostly reading, pages among it, and some writing. */
const MIX: Record<string, number> = {
  session: 6,
  list: 8,
  across: 8,
  detail: 12,
  comments: 6,
  notifications: 6,
  event: 4,
  "event-page": 3,
  inbox: 2,
  search: 1,
  analytics: 1,
  create: 2,
  note: 1,
};
const PER_SECOND = 60;
const PARTS = 10;

/**
 * 60 requests a second for some minutes.
 * @param databaseUrl of the service, on this machine
 */
export async function steadyLoad(
  { url, pid }: Running,
  { known, databaseUrl, minutes }: { known: Known; databaseUrl: string; minutes: number },
): Promise<Memory> {
  const requests = await mixed(known);
  const service = [residentMb(pid)];
  let [answers, failures] = [0, 0];
  for (let part = 0; part < PARTS; part += 1) {
    const seen = await autocannon({
      url,
      requests,
      connections: 12,
      overallRate: PER_SECOND,
      duration: (minutes * 60) / PARTS,
      timeout: 60,
    });
    answers += seen["2xx"];
    failures += seen.non2xx + seen.errors + seen.timeouts;
    service.push(residentMb(pid));
  }
  return {
    minutes,
    perSecond: PER_SECOND,
    answers,
    failures,
    service,
    database: await databaseMb(databaseUrl),
  };
}

/** So many of each kind one after the other, kinds in turn. */
async function mixed(known: Known): Promise<autocannon.Request[]> {
  const kinds = await Promise.all(
    ROWS.filter(({ name }) => MIX[name]).map(async (row) => ({
      requests: await row.requests(known),
      share: MIX[row.name] ?? 0,
    })),
  );
  return Array.from({ length: 12 }, (_, round) =>
    kinds.flatMap(({ requests, share }) =>
      Array.from({ length: share }, (__, n) => requests[(round * share + n) % requests.length] ?? {}),
    ),
  ).flat();
}

async function databaseMb(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pid from pg_stat_activity");
  await client.end();
  const own = rows.map(({ pid }) => parentOf(pid)).find((pid) => pid > 1) ?? 0;
  return [own, ...childrenOf(own)].reduce((sum, pid) => sum + proportionalMb(pid), 0);
}

const parentOf = (pid: number): number => Number(/^PPid:\s+(\d+)/m.exec(textOf(pid, "status"))?.[1] ?? 0);
const childrenOf = (pid: number): number[] =>
  textOf(pid, `task/${pid}/children`).trim().split(" ").filter(Boolean).map(Number);
const proportionalMb = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(textOf(pid, "smaps_rollup"))?.[1] ?? 0) / 1024;

function textOf(pid: number, name: string): string {
  const file = `/proc/${pid}/${name}`;
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
}
