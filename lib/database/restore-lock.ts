import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { DATABASE_USE_LOCK } from "#lib/database/advisory-locks.ts";
import { connectClient } from "#lib/database/connections.ts";

/**
 * Ensures that no restore replaces the content of a database while a service uses it, and that no service uses it
 * during a restore: whichever machines they run on, and even when one of them loses its connections for a while
 * (docs/architecture.md).
 */

/** How long a restore waits for connections of a process that has just ended, in milliseconds. */
const LOCK_TIMEOUT_MS = 3000;

/**
 * Blocks restores with a connection of its own. Returns a function that stops blocking them.
 * @throws RestoreRunningError, RestoreUnfinishedError
 */
export async function blockRestores(url: string): Promise<() => Promise<void>> {
  const client = await connectClient(url, { applicationName: "heed-start", keepsRestoresAway: true });
  return () => client.end().catch(() => {});
}

/**
 * Reserves the database for this connection, until the returned function is called or the connection ends.
 * @throws Error naming who uses it, and from where
 */
export async function reserveDatabaseForRestore(client: pg.ClientBase): Promise<() => Promise<void>> {
  for (const end = Date.now() + LOCK_TIMEOUT_MS; ; await sleep(250)) {
    const { rows } = await client.query<{ mine: boolean }>("select pg_try_advisory_lock($1) as mine", [
      DATABASE_USE_LOCK,
    ]);
    if (rows[0]?.mine) break;
    if (Date.now() > end) throw new Error(await describeLockHolders(client));
  }
  return async () => {
    await client.query("select pg_advisory_unlock($1)", [DATABASE_USE_LOCK]);
  };
}

export async function isRestoreRunning(client: pg.ClientBase): Promise<boolean> {
  const holders = await client.query(`${LOCK_HOLDERS_SQL} and l.mode = 'ExclusiveLock'`, [DATABASE_USE_LOCK]);
  return holders.rows.length > 0;
}

type LockHolder = { name: string | null; address: string | null };

/** The application name and address of each connection that holds the lock; no rows where our role may not see them. */
const LOCK_HOLDERS_SQL = `
  select distinct a.application_name as name,
    case when a.client_port = -1 then 'the machine of the database' else host(a.client_addr) end as address
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.classid = 0 and l.objid = $1::int8::oid and l.objsubid = 1
    and l.database = (select oid from pg_database where datname = current_database())`;

async function describeLockHolders(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<LockHolder>(LOCK_HOLDERS_SQL, [DATABASE_USE_LOCK]);
  if (rows.length > 0 && rows.every(({ name }) => name === "heed-backup"))
    return "A backup of this database is being taken. Wait until it has ended.";
  const addresses = [...new Set(rows.flatMap(({ address }) => address ?? []))].sort();
  const from = addresses.length > 0 ? ` It is connected from ${addresses.join(", ")}.` : "";
  return `A service runs on this database. Stop it first.${from}`;
}
