import autocannon from "autocannon";
import pg from "pg";
import type { RunningProcess } from "#e2e/support/process.ts";
import { readProcFile, readResidentMb } from "./process.ts";
import { SCENARIOS, type BenchContext } from "./rows.ts";

/** Memory of service and database during minutes of steady load. */

export type SteadyLoadResult = {
  minutes: number;
  perSecond: number;
  responses: number;
  failures: number;
  /** In MB, at the beginning and after each part of the load. */
  service: number[];
  /** At the end, in MB. */
  database: number;
};

/** What a team and its reporters do in a minute: mostly reading, including pages, and some writing. */
const REQUEST_MIX: Record<string, number> = {
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
const REQUESTS_PER_SECOND = 60;
const MEASURED_PARTS = 10;

type SteadyLoadOptions = {
  known: BenchContext;
  /** The service's database, on this machine. */
  databaseUrl: string;
  minutes: number;
  /** Before the service was started. */
  since: Date;
};

/** Sends 60 requests a second for some minutes. */
export async function measureSteadyLoad(
  { url, pid }: RunningProcess,
  { known, databaseUrl, minutes, since }: SteadyLoadOptions,
): Promise<SteadyLoadResult> {
  const requests = await buildMixedRequests(known);
  const service = [readResidentMb(pid)];
  let [responses, failures] = [0, 0];
  for (let part = 0; part < MEASURED_PARTS; part += 1) {
    const seen = await autocannon({
      url,
      requests,
      connections: 12,
      overallRate: REQUESTS_PER_SECOND,
      duration: (minutes * 60) / MEASURED_PARTS,
      timeout: 60,
    });
    responses += seen["2xx"];
    failures += seen.non2xx + seen.errors + seen.timeouts;
    service.push(readResidentMb(pid));
  }
  return {
    minutes,
    perSecond: REQUESTS_PER_SECOND,
    responses,
    failures,
    service,
    database: await readDatabaseMb(databaseUrl, since),
  };
}

/** Builds the given number of requests of each kind, with the kinds in turn. */
async function buildMixedRequests(known: BenchContext): Promise<autocannon.Request[]> {
  const kinds = await Promise.all(
    SCENARIOS.filter(({ name }) => REQUEST_MIX[name]).map(async (row) => ({
      requests: await row.requests(known),
      share: REQUEST_MIX[row.name] ?? 0,
    })),
  );
  return Array.from({ length: 12 }, (_, round) =>
    kinds.flatMap(({ requests, share }) =>
      Array.from({ length: share }, (__, n) => requests[(round * share + n) % requests.length] ?? {}),
    ),
  ).flat();
}

/**
 * Sums up all processes of the server, counting shared memory pages once.
 * @param since connections opened before are those of other services and of the benchmark, and are left out
 */
async function readDatabaseMb(url: string, since: Date): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number; other: boolean }>(
    "select pid, pid = pg_backend_pid() or coalesce(backend_start < $1, false) as other from pg_stat_activity where backend_type = 'client backend'",
    [since],
  );
  const server = Number(/^PPid:\s+(\d+)/m.exec(readProcFile(rows[0]?.pid ?? 0, "status") ?? "")?.[1]);
  const children = readProcFile(server, `task/${server}/children`)?.trim().split(" ").map(Number) ?? [];
  const others = rows.filter(({ other }) => other).map(({ pid }) => pid);
  // The buffers that others have used belong to the server.
  const megabytes = [server, ...children].reduce(
    (sum, pid) => sum + readProportionalMb(pid, others.includes(pid) ? "Pss_Shmem" : "Pss"),
    0,
  );
  await client.end();
  return megabytes;
}

const readProportionalMb = (pid: number, part: "Pss" | "Pss_Shmem"): number =>
  Number(new RegExp(`^${part}:\\s+(\\d+)`, "m").exec(readProcFile(pid, "smaps_rollup") ?? "")?.[1] ?? 0) /
  1024;
