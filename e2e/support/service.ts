import fs from "node:fs";
import path from "node:path";
import type pg from "pg";
import { inject } from "vitest";
import { Client } from "./client.ts";
import { runInOrder } from "./distinct-times.ts";
import { ErrorCatalog } from "./documented-errors.ts";
import { endWithFile } from "./file-end.ts";
import {
  findFreePort,
  startProcess,
  type EnvironmentSettings,
  type RunningProcess,
  type StartServiceOptions,
} from "./process.ts";
import { removeFolder } from "./remove-folder.ts";
import { beginRowCount } from "./row-count.ts";
import { findSharedService } from "./shared-services.ts";
import { openTestPool } from "./test-pool.ts";

/** A running service on the database of this test file. */
export type Service = SharedService & { process: RunningProcess };

/** A running service that the test files of one worker share, including the data that they write. */
export type SharedService = {
  url: string;
  port: number;
  dataDir: string;
  /** Creates a client that is signed out, or has this session cookie. */
  visitor(cookie?: string): Client;
  /** Runs a statement and returns its rows. Of two that write, one after the other, the second has a later `now()`. */
  sql<Row = Record<string, any>>(statement: string, values?: unknown[]): Promise<Row[]>;
  /** Counts the rows of a table. */
  rows(table: string, where?: string, values?: unknown[]): Promise<number>;
  cookieName: string;
};

/**
 * Starts the service for one test file, at the top of it: `const heed = await startService();`. It ends with the file.
 * A second call in the same file starts another process on the same database.
 */
export async function startService(
  settings: EnvironmentSettings = {},
  options?: StartServiceOptions,
): Promise<Service> {
  const { DATABASE_URL = "", HEED_DATA_DIR = "" } = process.env;
  const started = countService();
  // Each service needs its own data folder; a second one must share the keys that seal cookies.
  const second = started > 0 && {
    HEED_DATA_DIR: `${HEED_DATA_DIR}-${started}`,
    SESSION_KEYS: await readSharedKeys(),
  };
  if (second) shareDataKey(HEED_DATA_DIR, second.HEED_DATA_DIR);
  const running = await startProcess({ DATABASE_URL, HEED_DATA_DIR, ...second, ...settings }, options);
  const pool = openTestPool(DATABASE_URL);
  endWithFile(async () => {
    await running.stop();
    await pool.end();
    if (second) removeFolder(running.dataDir);
  });
  return { ...buildService(running, pool, settings), process: running };
}

/**
 * Returns the service that this worker's files share: `const heed = await shareService();`, once at the top of a file.
 * Its database holds data of other files, so a test counts only its own. A file that needs settings, processes, an
 * empty database or an undamaged audit log calls `startService` instead.
 */
export async function shareService(): Promise<SharedService> {
  // Its data folder is in use, so further services of the file get one of their own.
  countService();
  const { databaseUrl, ...address } = await findSharedService(inject("sharedServices"));
  const pool = openTestPool(databaseUrl);
  endWithFile(() => pool.end());
  return buildService(address, pool, {});
}

/**
 * Starts the service in production mode, with the default rate limits unless the settings change them. @param base
 * BASE_URL; by default the address on which the service listens
 */
export async function startProductionService(
  settings: EnvironmentSettings = {},
  base?: string,
): Promise<Service> {
  const port = String(await findFreePort());
  return startService({ PORT: port, BASE_URL: base ?? `http://127.0.0.1:${port}`, ...settings });
}

let serviceCount = 0;

/** Counts a service of the current file. @returns the number of those before it */
function countService(): number {
  if (serviceCount === 0) endWithFile(async () => void (serviceCount = 0));
  serviceCount += 1;
  return serviceCount - 1;
}

/** Copies the data key, so that one machine opens what another has sealed. */
function shareDataKey(from: string, to: string): void {
  fs.mkdirSync(path.join(to, "secrets"), { recursive: true, mode: 0o700 });
  fs.copyFileSync(path.join(from, "secrets", "data.key"), path.join(to, "secrets", "data.key"));
}

async function readSharedKeys(): Promise<string> {
  const [{ loadSessionCookieKeys }, { env }] = await Promise.all([
    import("#lib/crypto/secrets.ts"),
    import("#lib/env.ts"),
  ]);
  return loadSessionCookieKeys(env()).join(",");
}

function buildService(
  { url, port, dataDir }: Pick<RunningProcess, "url" | "port" | "dataDir">,
  pool: pg.Pool,
  settings: EnvironmentSettings,
): SharedService {
  const sql: SharedService["sql"] = async (statement, values) =>
    (await runInOrder(pool, statement, values)) as never;
  const documentedErrors = inject("documentedErrors");
  const hooks = {
    countRows: () => beginRowCount(pool),
    ...(documentedErrors && { errors: new ErrorCatalog(documentedErrors) }),
  };
  return {
    url,
    port,
    dataDir,
    visitor: (cookie) => new Client(url, hooks, cookie),
    sql,
    rows: async (table, where = "true", values = []) => {
      const [row] = await sql<{ n: number }>(
        `select count(*)::int as n from ${table} where ${where}`,
        values,
      );
      return row?.n ?? 0;
    },
    cookieName: settings.BASE_URL?.startsWith("https:") ? "__Host-session" : "session",
  };
}
