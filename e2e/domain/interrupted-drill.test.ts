import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { createOrganization } from "#e2e/support/rows.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { takeBackup } from "#lib/backup/take.ts";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";
import { env } from "#lib/env.ts";
import { getFileStorage } from "#lib/files/storage/storage.ts";
import { isPidRunning, readFileOrUndefined } from "#lib/process-lock.ts";

/** A drill holds the whole database in the open; however it ends, nothing of it may stay. */

const { DATABASE_URL: url = "" } = process.env;
const archive = path.join(env().dataDir, "backup.zip");
const drills = path.join(env().dataDir, "drills");
await createOrganization();
await takeBackup({ url, storage: getFileStorage(), env: env(), allowMissing: false }, archive);

type RunningDrill = { child: ChildProcess; databaseFolder: string; serverPid: number };

const listDrills = () => fs.readdirSync(drills).map((name) => path.join(drills, name));

/** Starts a drill, and waits until its database server runs. */
async function startDrill(): Promise<RunningDrill> {
  const { PATH = "", HOME = "" } = process.env;
  const settings = { PATH, HOME, TMPDIR: drills, HEED_DATA_DIR: env().dataDir };
  const child = spawn(process.execPath, ["lib/scripts/restore.ts", "--from", archive, "--verify"], {
    env: settings as unknown as NodeJS.ProcessEnv,
    stdio: "ignore",
  });
  const find = () => {
    const folder = fs.existsSync(drills) ? listDrills().find((one) => isOf(one, child)) : undefined;
    return folder && findDatabaseFolder(folder);
  };
  await waitUntil("its database has started", async () => fs.existsSync(`${find()}/postmaster.pid`));
  const databaseFolder = find() ?? "";
  const serverPid = Number.parseInt(fs.readFileSync(`${databaseFolder}/postmaster.pid`, "utf8"), 10);
  return { child, databaseFolder, serverPid };
}

const isOf = (folder: string, { pid }: ChildProcess): boolean =>
  readFileOrUndefined(path.join(folder, "owner"))?.startsWith(`${pid} `) ?? false;

async function expectToEndWithoutTrace({ child, databaseFolder, serverPid }: RunningDrill): Promise<void> {
  expect(await once(child, "exit")).toEqual([1, null]);
  expect(listDrills()).toEqual([]);
  expect([fs.existsSync(databaseFolder), isPidRunning(serverPid)]).toEqual([false, false]);
}

// On SIGHUP, a drill sends SIGTERM to itself.
it("a drill that SIGHUP ends removes its database, and has failed", async () => {
  const drill = await startDrill();
  drill.child.kill("SIGHUP");
  await expectToEndWithoutTrace(drill);
});

it("a drill removes the database of a killed one, whose server still runs, and its own when SIGINT ends it", async () => {
  const killed = await startDrill();
  killed.child.kill("SIGKILL");
  await once(killed.child, "exit");
  expect([fs.existsSync(killed.databaseFolder), isPidRunning(killed.serverPid)]).toEqual([true, true]);
  const next = await startDrill();
  expect([fs.existsSync(killed.databaseFolder), isPidRunning(killed.serverPid)]).toEqual([false, false]);
  next.child.kill("SIGINT");
  await expectToEndWithoutTrace(next);
});
