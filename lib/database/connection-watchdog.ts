import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { parseDatabaseUrl } from "#lib/database-url.ts";
import { log } from "#lib/observability/log.ts";

/** How often to check for long statements, and how long those are (milliseconds). */
const POLL_INTERVAL_MS = 1000;
const LONG_STATEMENT_MS = 2000;
/** How long a server may take to respond to `select 1` on a new connection before it counts as unresponsive. */
const PROBE_TIMEOUT_MS = 4000;
/**
 * The most that this process may lag behind: one too busy to read responses can't judge whether the server is
 * unresponsive.
 */
const MAX_OWN_DELAY_MS = 1000;

/**
 * Closes the connections in use while the server responds to nobody: its machine is gone, its disk stalls, or the
 * network is cut. Otherwise every statement, and its request, would wait for its own time-out. A long statement on a
 * responsive server continues.
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
    // With several hosts in the connection string, only one of them may be unresponsive.
    const hosts = Map.groupBy(longRunning, ([client]) => formatHost(client));
    const probes = [...hosts.keys()].map(async (host) => {
      if (!(await isUnresponsive(buildHostUrl(connectionString, host)))) return;
      const unresponsive = [...inUse.keys()].filter((client) => formatHost(client) === host);
      log.warn({ connections: unresponsive.length }, "the database is silent; its connections are cut");
      for (const client of unresponsive) destroySocket(client);
    });
    await Promise.all(probes).finally(() => (isProbing = false));
  };
  const pollTimer = setInterval(() => void checkConnections(), POLL_INTERVAL_MS).unref();
}

/** Returns whether a statement is running; for pools with a connection that is held permanently to listen. */
export const isAwaitingDatabaseResponse = (client: pg.PoolClient): boolean =>
  (client as unknown as { _activeQuery: unknown })._activeQuery !== null;

const formatHost = (client: pg.ClientBase): string => {
  const { host, port } = client as pg.Client;
  return `${host} ${port}`;
};

function buildHostUrl(connectionString: string, name: string): string {
  const { hosts, urlOf } = parseDatabaseUrl(connectionString);
  if (hosts.length === 1) return connectionString;
  const [host = "", port] = name.split(" ");
  return urlOf({ host, port });
}

/** Checks whether the server doesn't respond; any response, including a refusal, means that it is up. */
async function isUnresponsive(connectionString: string): Promise<boolean> {
  const startedAt = performance.now();
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
    application_name: "heed-connection-watchdog",
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

/** Closes the socket without a terminate message, which an unresponsive server wouldn't read. */
function destroySocket(client: pg.ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
