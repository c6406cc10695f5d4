import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { Client } from "#e2e/support/client.ts";
import { spawnProjectCommand } from "#e2e/support/command.ts";
import { dropDatabase } from "#e2e/support/database.ts";
import { startProcess, type RunningProcess } from "#e2e/support/process.ts";
import { readAllRows } from "#e2e/support/rows-of-backup.ts";
import { startService } from "#e2e/support/service.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, TestWorld } from "#e2e/support/world.ts";
import { disconnectDatabase } from "#lib/database/client.ts";
import { connectClient } from "#lib/database/connections.ts";
import { reserveDatabaseForRestore } from "#lib/database/restore-lock.ts";
import { isPidRunning } from "#lib/process-lock.ts";

/** A restore has the database for itself, whoever works on it from another machine: with a data folder of its own. */

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-alone-"));
const inFolder = (name: string) => path.join(folder, name);

const here = {
  DATABASE_URL: process.env.DATABASE_URL ?? "",
  HEED_DATA_DIR: process.env.HEED_DATA_DIR ?? "",
  BACKUP_PASSPHRASE: "nine lamps along the quay",
};
// Two machines share the database: each with a data folder of its own. The first can be stopped as a whole.
const heed = await startService({ HEED_PROCESSES: "2" }, { apart: true });
const running = heed.process;
const world = await TestWorld.build(heed);
const taken = await spawnProjectCommand("backup", ["--to", inFolder("whole.zip")], here);
const archive = ["--from", inFolder("whole.zip"), "--replace"];

/** How long a command or a service may take to start and to come to the database, on a busy machine. */
const COMMAND_START_MS = 90_000;

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
  fs.rmSync(folder, { recursive: true, force: true });
});

async function connect(url: string, application_name = "heed-test"): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name });
  client.on("error", () => {});
  await client.connect();
  ends.push(() => client.end());
  return client;
}

async function emptyDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await heed.sql(`create database ${name}`);
  ends.push(() => dropDatabase(here.DATABASE_URL, name));
  return here.DATABASE_URL.replace(new URL(here.DATABASE_URL).pathname, `/${name}`);
}

const signIn = async ({ url }: RunningProcess) => {
  const account = { email: world.omar.email, password: PASSWORD };
  return (
    await new Client(url, { countRows: async () => ({}) }).post("/api/auth/login", account, { failing: true })
  ).status;
};

test("a service on another machine is refused and named, also while its worker is not connected", async () => {
  expect(taken, taken.output).toMatchObject({ code: 0 });
  expect(await signIn(running)).toBe(200);
  const cut = () =>
    heed.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'heed-jobs%'`,
    );
  const users = () => heed.rows("users");
  const before = await users();
  const cutting = setInterval(() => void cut(), 100);
  const restored = await spawnProjectCommand("restore", archive, {
    ...here,
    HEED_DATA_DIR: inFolder("apart"),
  });
  clearInterval(cutting);
  expect([restored.code, restored.output]).toEqual([
    1,
    expect.stringContaining(
      "A service runs on this database. Stop it first. It is connected from the machine of the database.",
    ),
  ]);
  expect(await users()).toBe(before);
  expect(await signIn(running)).toBe(200);
});

test("services stop during a restore of their database, and continue afterwards", async () => {
  // A restore would take the connections of this process for a service.
  await disconnectDatabase();
  const { DATABASE_URL } = here;
  const database = new URL(DATABASE_URL).pathname.slice(1);
  const machine = (name: string) => ({ ...here, ...(name !== "one" && { HEED_DATA_DIR: inFolder(name) }) });
  const whole = await readAllRows(DATABASE_URL);

  // A machine that is cut off, and comes back when the restore has begun: none of its connections has lived on.
  process.kill(-running.pid, "SIGSTOP");
  ends.push(async () => isPidRunning(running.pid) && process.kill(-running.pid, "SIGCONT"));
  const held = await connect(DATABASE_URL);
  await held.query("begin; lock table users in access share mode");
  // This test keeps its own: its pool may write to a connection that has ended before it reads so.
  const ofServices = `datname = current_database() and backend_type = 'client backend'
    and application_name <> 'heed-test'`;
  const { rows: ended } = await held.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where ${ofServices}`,
  );
  expect(ended.length).toBeGreaterThan(0);
  await waitUntil("all have ended", async () => (await heed.rows("pg_stat_activity", ofServices)) === 0);
  const restoring = spawnProjectCommand("restore", archive, machine("two"));
  const migrating = (condition: string) =>
    heed.rows("pg_stat_activity", `datname = $1 and application_name = 'heed-migrate' and ${condition}`, [
      database,
    ]);
  await waitUntil(
    "it waits for a table",
    async () => (await migrating("wait_event_type = 'Lock'")) === 1,
    COMMAND_START_MS,
  );
  process.kill(-running.pid, "SIGCONT");
  for (let count = 0; count < 4; count += 1) expect(await signIn(running)).toBe(503);
  const ready = await fetch(`${running.url}/api/health/ready`);
  expect(ready.status).toBe(503);

  // What one machine sealed, another has to open.
  fs.cpSync(
    path.join(machine("one").HEED_DATA_DIR, "secrets"),
    path.join(machine("three").HEED_DATA_DIR, "secrets"),
    {
      recursive: true,
    },
  );
  let started = false;
  const starting = startProcess(machine("three")).finally(() => (started = true));
  await waitUntil(
    "another one waits to start",
    async () => (await migrating("true")) === 2,
    COMMAND_START_MS,
  );
  const torn = await spawnProjectCommand("backup", ["--to", inFolder("torn.zip")], machine("one"));
  expect([torn.code, torn.output]).toEqual([
    1,
    expect.stringContaining("A restore runs on this database. Wait until it has ended."),
  ]);
  await sleep(1500);
  expect(started).toBe(false);

  await held.query("commit");
  const { code, output } = await restoring;
  expect(code, output).toBe(0);
  const late = await starting;
  ends.push(() => late.stop());
  expect(late.output()).toContain("Waiting for a restore that runs on this database.");
  expect(await signIn(late)).toBe(200);
  await waitUntil("the one that ran goes on", async () => (await signIn(running)) === 200);
  const now = await readAllRows(DATABASE_URL);
  expect(now["public.incidents"]).toEqual(whole["public.incidents"]);
  expect(now["public.organizations"]).toEqual(whole["public.organizations"]);
});

test("a backup that is being taken is called one", async () => {
  const DATABASE_URL = await emptyDatabase();
  const share = () =>
    connectClient(DATABASE_URL, { applicationName: "heed-backup", keepsRestoresAway: true });
  const backup = await share();
  const restore = await connect(DATABASE_URL);
  await expect(reserveDatabaseForRestore(restore)).rejects.toThrow(
    "A backup of this database is being taken.",
  );
  await backup.end();
  const letIn = await reserveDatabaseForRestore(restore);
  await expect(share()).rejects.toMatchObject({ code: "57P03" });
  await letIn();
  await (await share()).end();
});
