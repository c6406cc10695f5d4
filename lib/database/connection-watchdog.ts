import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { parseDatabaseUrl } from "#lib/database-url.ts";
import { log } from "#lib/observability/log.ts";

/** How often is looked for statements that take long, and how long that is (milliseconds). */
const LOOK_MS = 1000;
const LONG_MS = 2000;
/** How long a server may take to answer `select 1` on a new connection before it counts as silent. */
const PATIENCE_MS = 4000;
/** A process that was too busy to look at what came has no reason to call somebody else silent. */
const OWN_DELAY_MS = 1000;

/**
 * Cuts the connections that are in use while the server answers nobody: its machine is gone, its disk stalls, the cable is
 * cut. Otherwise each statement would wait for its own time-out, and its request with it. A long statement on a server
 * that does answer goes on.
 */
export function cutWhenSilent(
  pool: pg.Pool,
  connectionString: string,
  counts: (client: pg.PoolClient) => boolean = () => true,
): void {
  const inUse = new Map<pg.PoolClient, number>();
  pool.on("acquire", (client) => inUse.set(client, performance.now()));
  pool.on("release", (_error, client) => void inUse.delete(client));
  pool.on("remove", (client) => void inUse.delete(client));
  let asking = false;
  const look = async () => {
    if (pool.ended) return clearInterval(looking);
    const began = performance.now();
    const waiting = [...inUse].filter(([client, since]) => began - since > LONG_MS && counts(client));
    if (asking || waiting.length === 0) return;
    asking = true;
    // With several hosts in the connection string, one of them may be silent.
    const hosts = Map.groupBy(waiting, ([client]) => hostOf(client));
    const looks = [...hosts.keys()].map(async (host) => {
      if (!(await isSilent(urlOn(connectionString, host)))) return;
      const silent = [...inUse.keys()].filter((client) => hostOf(client) === host);
      log.warn({ connections: silent.length }, "the database is silent; its connections are cut");
      for (const client of silent) cut(client);
    });
    await Promise.all(looks).finally(() => (asking = false));
  };
  const looking = setInterval(() => void look(), LOOK_MS).unref();
}

/** For pools with a connection that is held for ever, to listen on: it is a reason to look while it asks something. */
export const awaitsAnswer = (client: pg.PoolClient): boolean =>
  (client as unknown as { _activeQuery: unknown })._activeQuery !== null;

const hostOf = (client: pg.ClientBase): string => {
  const { host, port } = client as pg.Client;
  return `${host} ${port}`;
};

function urlOn(connectionString: string, name: string): string {
  const { hosts, urlOf } = parseDatabaseUrl(connectionString);
  if (hosts.length === 1) return connectionString;
  const [host = "", port] = name.split(" ");
  return urlOf({ host, port });
}

/** Whatever it answers, a refusal included, it is there. */
async function isSilent(connectionString: string): Promise<boolean> {
  const began = performance.now();
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
    application_name: "heed-silence",
  });
  client.on("error", () => {});
  const answer = client.connect().then(() => client.query("select 1"));
  const late = sleep(PATIENCE_MS, undefined, { ref: false }).then(() => Promise.reject(new Error("late")));
  const silent = await Promise.race([answer, late]).then(
    () => false,
    (error: { code?: string }) => !/^[0-9A-Z]{5}$/.test(error.code ?? ""),
  );
  answer.catch(() => {});
  cut(client);
  return silent && performance.now() - began < PATIENCE_MS + OWN_DELAY_MS;
}

/** Without a word: who doesn't answer doesn't hear a farewell either. */
function cut(client: pg.ClientBase): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}
