import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { migrate } from "#lib/database/migrate.ts";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";
import { startOrJoinEmbeddedPostgres } from "#lib/database/embedded/server.ts";
import { removeFolder } from "./remove-folder.ts";

/** One PostgreSQL server for a test run, with a migrated template database; each test file gets a copy. */

const TEMPLATE_NAME = "heed_template";

export type TestDatabase = { url: string; close(): Promise<void> };

/** `services`: the URL at which files find a shared service (shared-services.ts). */
export type SpawnedTestServer = TestDatabase & { services: string };

/** Starts the server, with its files under `folder`, and migrates the template. `close` removes everything. */
export async function openTestServer(folder = os.tmpdir()): Promise<TestDatabase> {
  const dataDir = fs.mkdtempSync(path.join(folder, "heed-test-database-"));
  const server = await startOrJoinEmbeddedPostgres({ dataDir }, () => {}, { fsync: false });
  await runSql(server.url, `create database ${TEMPLATE_NAME}`);
  await migrate(buildDatabaseUrl(server.url, TEMPLATE_NAME), () => {});
  const close = async () => {
    const databaseFolder = findDatabaseFolder(dataDir);
    await server.close();
    // Where root runs the tests, the database may lie outside the data folder.
    for (const folder of [databaseFolder, dataDir]) if (folder) removeFolder(folder);
  };
  return { url: server.url, close };
}

/** Like `openTestServer`, in a separate process. @param build whether to update the production build first */
export async function spawnTestServer({ build }: { build: boolean }): Promise<SpawnedTestServer> {
  const program = path.join(import.meta.dirname, "database-server.ts");
  const child = spawn(process.execPath, [program, ...(build ? ["build"] : [])], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const line = once(readline.createInterface({ input: child.stdout }), "line") as Promise<string[]>;
  const first = await Promise.race([line.then(([text]) => text), ended.then(() => undefined)]);
  const [url, services] = first?.split(" ") ?? [];
  if (!url || !services) throw new Error("The database server of the tests did not start.");
  const close = async () => {
    child.stdin.end();
    await ended;
  };
  return { url, services, close };
}

/** SQLSTATE object_in_use. */
const OBJECT_IN_USE = "55006";

/** Creates a migrated database on the server, under a random name unless one is given. */
export async function cloneDatabase(
  serverUrl: string,
  name = `test_${randomBytes(6).toString("hex")}`,
): Promise<TestDatabase> {
  // The template can't be copied while an autovacuum worker is in it; the server waits for that for five seconds only.
  await retry(
    // Files are copied in a third of the processor time that copying by the write-ahead log takes.
    () => runSql(serverUrl, `create database ${name} template ${TEMPLATE_NAME} strategy file_copy`),
    (error) => error.code === OBJECT_IN_USE,
  );
  return {
    url: buildDatabaseUrl(serverUrl, name),
    close: () => dropDatabase(serverUrl, name),
  };
}

/** Drops a database, once an autovacuum worker, which can't be terminated, has left it. */
export const dropDatabase = (serverUrl: string, name: string): Promise<void> =>
  retry(
    () => runSql(serverUrl, `drop database ${name} with (force)`),
    () => true,
  );

async function retry(
  work: () => Promise<void>,
  isTransient: (error: { code?: string }) => boolean,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries >= 20 || !isTransient(error as { code?: string })) throw error;
      await sleep(500);
    }
  }
}

async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function buildDatabaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}
