import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { parseDatabaseUrl } from "#lib/database-url.ts";
import { log } from "#lib/observability/log.ts";

/** How often is looked for statements that take long, and how long that is (milliseconds). */
const POLL_INTERVAL_MS = 1000;
const LONG_STATEMENT_MS = 2000;
/** How long a server may take to answer `select 1` on a new connection before it counts as silent. */
const PROBE_TIMEOUT_MS = 4000;
/** A process that was too busy to look at what came has no reason to call somebody else silent. */
const MAX_OWN_DELAY_MS = 1000;

/**
 * Cuts the connections that are in use while the server answers nobody: its machine is gone, its disk stalls, the cable is
 * cut. Otherwise each statement would wait for its own time-out, and its request with it. A long statement on a server
 * that does answer goes on.
 */
export function startConnectionWatchdog(
  pool: pg.Pool,
  connectionString: string,
  isWatched: (client: pg.PoolClient) => boolean = () => true,
): void {
  const inUse = new Map<pg.PoolClient, number>();
  pool.on("acquire", (client) => inUse.set(client, performance.now()));
  pool.on("release", (_error, client) => void inUse.delete(client));
  pool.on("remove", (client) => void inUse.delete(client));
  let isProbing = false;
  const checkConnections = async () => {
    if (pool.ended) return clearInterval(pollTimer);
    const startedAt = performance.now();
    const longRunning = [...inUse].filter(
      ([client, since]) => startedAt - since > LONG_STATEMENT_MS && isWatched(client),
    );
    if (isProbing || longRunning.length === 0) return;
    isProbing = true;
    // With several hosts in the connection string, one of them may be silent.
    const hosts = Map.groupBy(longRunning, ([client]) => hostOf(client));
    const probes = [...hosts.keys()].map(async (host) => {
      if (!(await isUnresponsive(urlForHost(connectionString, host)))) return;
      const unresponsive = [...inUse.keys()].filter((client) => hostOf(client) === host);
      log.warn({ connections: unresponsive.length }, "the database is silent; its connections are cut");
      for (const client of unresponsive) destroySocket(client);
    });
    await Promise.all(probes).finally(() => (isProbing = false));
  };
  const pollTimer = setInterval(() => void checkConnections(), POLL_INTERVAL_MS).unref();
}

/** For pools with a connection that is held for ever, to listen on: it is a reason to look while it asks something. */
export const isAwaitingResponse = (client: pg.PoolClient): boolean =>
  (client as unknown as { _activeQuery: unknown })._activeQuery !== null;

const hostOf = (client: pg.ClientBase): string => {
  const { host, port } = client as pg.Client;
  return `${host} ${port}`;
};

function urlForHost(connectionString: string, name: string): string {
  const { hosts, urlOf } = parseDatabaseUrl(connectionString);
  if (hosts.length === 1) return connectionString;
  const [host = "", port] = name.split(" ");
  return urlOf({ host, port });
}

/** Whatever it answers, a refusal included, it is there. */
async function isUnresponsive(connectionString: string): Promise<boolean> {
  const startedAt = performance.now();
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
    application_name: "heed-silence",
  });
  client.on("error", () => {});
  const connected = client.connect().then(() => client.query("select 1"));
  const timedOut = sleep(PROBE_TIMEOUT_MS, undefined, { ref: false }).then(() =>
    Promise.reject(new Error("late")),
  );
  const unresponsive = await Promise.race([connected, timedOut]).then(
    () => false,
    (error: { code?: string }) => !/^[0-9A-Z]{5}$/.test(error.code ?? ""),
  );
  connected.catch(() => {});
  destroySocket(client);
  return unresponsive && performance.now() - startedAt < PROBE_TIMEOUT_MS + MAX_OWN_DELAY_MS;
}

/** Without a word: who doesn't answer doesn't hear a farewell either. */
function destroySocket(client: pg.ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
