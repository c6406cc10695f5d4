import fs from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { createDataFolder } from "#e2e/support/data-folder.ts";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";
import { assertNoServerOfAnotherContainer } from "#lib/database/embedded/postmaster-file.ts";
import { startOrJoinEmbeddedPostgres } from "#lib/database/embedded/server.ts";

/** One cluster for all: to create one takes longer than each test. */
const folder = await createDataFolder();
const { dataDir } = folder;
afterAll(() => folder.remove());

test("the embedded database has each commit on the disk before it confirms it, unless a test gives that up", async () => {
  const settings = [];
  for (const options of [undefined, { fsync: false }]) {
    const server = await startOrJoinEmbeddedPostgres({ dataDir }, () => {}, options);
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query(
      "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit, current_setting('full_page_writes') as pages",
    );
    settings.push(rows[0]);
    await client.end();
    await server.close();
  }
  expect(settings).toEqual([
    { fsync: "on", commit: "on", pages: "on" },
    { fsync: "off", commit: "on", pages: "off" },
  ]);
}, 180_000);

test("a server of another container with the same folder is neither joined nor replaced, and goes on", async () => {
  const server = await startOrJoinEmbeddedPostgres({ dataDir }, () => {});
  const startTime = await readStartTime(server.url);
  const pidFiles = readPidFiles(dataDir);
  await assertNoServerOfAnotherContainer(dataDir);
  hidePid(dataDir);
  const hidden = readPidFiles(dataDir);
  const refusal =
    /is in use by a server that isn't among the processes seen here.*\nStop that container first, or run this command inside it/;
  await expect(startOrJoinEmbeddedPostgres({ dataDir }, () => {})).rejects.toThrow(refusal);
  // A restore stores the data key of its backup before it opens the database.
  await expect(assertNoServerOfAnotherContainer(dataDir)).rejects.toThrow(refusal);
  expect(readPidFiles(dataDir)).toEqual(hidden);
  expect(await readStartTime(server.url)).toEqual(startTime);
  // The server ends itself soon when its pid isn't in the file.
  for (const [file, text] of Object.entries(pidFiles)) fs.writeFileSync(file, text);
  await server.close();
}, 180_000);

test("the socket and pid files that a killed server leaves don't keep the next one from starting", async () => {
  const killed = await startOrJoinEmbeddedPostgres({ dataDir }, () => {});
  const startTime = await readStartTime(killed.url);
  process.kill(
    Number.parseInt(readPidFiles(dataDir)[buildDatabasePath(dataDir, "postmaster.pid")] ?? ""),
    "SIGKILL",
  );
  // Before it is started again.
  await killed.close();
  hidePid(dataDir);
  expect(fs.statSync(buildDatabasePath(dataDir, ".s.PGSQL.5432")).isSocket()).toBe(true);
  const next = await startOrJoinEmbeddedPostgres({ dataDir }, () => {});
  expect((await readStartTime(next.url)).getTime()).toBeGreaterThan(startTime.getTime());
  await next.close();
}, 180_000);

const buildDatabasePath = (dataDir: string, name: string): string =>
  path.join(findDatabaseFolder(dataDir) ?? "", name);

const readPidFiles = (dataDir: string): Record<string, string> =>
  Object.fromEntries(
    ["postmaster.pid", ".s.PGSQL.5432.lock"]
      .map((name) => buildDatabasePath(dataDir, name))
      .map((file) => [file, fs.readFileSync(file, "utf8")]),
  );

/** Makes the pid files look as they do from another container, where no process has this pid. */
function hidePid(dataDir: string): void {
  for (const [file, text] of Object.entries(readPidFiles(dataDir)))
    fs.writeFileSync(file, text.replace(/^\d+/, "4194305"));
}

async function readStartTime(url: string): Promise<Date> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("select pg_postmaster_start_time() as time");
  await client.end();
  return rows[0].time;
}
