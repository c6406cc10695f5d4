import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { Client } from "#e2e/support/client.ts";
import { spawnProjectCommand } from "#e2e/support/command.ts";
import { startProcess, type EnvironmentSettings } from "#e2e/support/process.ts";
import {
  checkEncryptionKeysAndCreateMissingSecretsAtUrl,
  DATA_KEY_USES,
} from "#lib/backup/key-fingerprints.ts";
import { env } from "#lib/env.ts";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

/** A start that can't go on says what is wrong and what to do. */

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-refused-"));
fs.chmodSync(folder, 0o755);
const DATABASE_URL = process.env.DATABASE_URL ?? "";
const ends: (() => void)[] = [() => fs.rmSync(folder, { recursive: true, force: true })];
afterAll(() => ends.reverse().forEach((end) => end()));

/** Ends with the file, also where a test fails before it ends it. */
async function startSeparately(settings: EnvironmentSettings) {
  const running = await startProcess(settings, { apart: true });
  ends.push(() => {
    try {
      process.kill(-running.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  });
  return running;
}

const start = (HEED_DATA_DIR: string, settings = {}, args: string[] = []) =>
  spawnProjectCommand("start", args, { HEED_DATA_DIR, PORT: "0", ...settings });

/** A small file system of its own; undefined where this user may not mount one. */
function mount(name: string, size: string): string | undefined {
  const place = path.join(folder, name);
  fs.mkdirSync(place);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=0755`, "heed-test", place], {
      stdio: "pipe",
    });
  } catch {
    return undefined;
  }
  ends.push(() => execFileSync("umount", ["-l", place]));
  return place;
}

function fill(place: string): string {
  const file = path.join(place, "filling");
  const handle = fs.openSync(file, "w");
  try {
    for (const block = Buffer.alloc(64 * 1024); ;) fs.writeSync(handle, block);
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
  } finally {
    fs.closeSync(handle);
  }
  return file;
}

test("without the key that sealed what the database holds, a second machine and a backup are refused", async () => {
  // What a first start does with the keys.
  await checkEncryptionKeysAndCreateMissingSecretsAtUrl(DATABASE_URL, {
    ...env(),
    dataDir: path.join(folder, "first"),
  });
  const second = path.join(folder, "second");
  const refused = await start(second, { DATABASE_URL });
  const lines = [
    `secrets/data.key is not in ${second}, and this database needs it for ${DATA_KEY_USES}.`,
    "Put the right secrets/data.key there, from a backup or from the machine that has it. Only where it is lost for good: npm start -- --without-keys",
  ];
  expect([refused.code, refused.output.trim().split("\n")]).toEqual([1, lines]);
  expect(fs.readdirSync(path.join(second, "secrets"))).toEqual(["session.key"]);
  fs.writeFileSync(path.join(second, "secrets", "data.key"), "another key, which is long enough to be one");
  const backup = await spawnProjectCommand("backup", [], { DATABASE_URL, HEED_DATA_DIR: second });
  expect([backup.code, backup.output]).toEqual([
    1,
    `secrets/data.key in ${second} is not the key that this database needs for ${DATA_KEY_USES}.\n${lines[1]}\n`,
  ]);
});

test("a data folder that is a file, read-only or full has its own message", async () => {
  const file = path.join(folder, "file");
  fs.writeFileSync(file, "");
  const noFolder = await start(file);
  expect([noFolder.code, noFolder.output]).toEqual([
    1,
    expect.stringMatching(/can't be used: a file is where a folder should be\.\nSet HEED_DATA_DIR/),
  ]);
  const place = mount("small", "1m");
  if (!place) return;
  fill(place);
  const full = await start(path.join(place, "data"));
  expect([full.code, full.output]).toEqual([
    1,
    expect.stringMatching(/^There is no room left on the disk of \S+\.\nMake room/),
  ]);
  execFileSync("mount", ["-o", "remount,ro", place]);
  const readOnly = await start(path.join(place, "other"));
  expect([readOnly.code, readOnly.output]).toEqual([
    1,
    expect.stringMatching(/^\S+ can't be made: its disk is read-only, .*\.\nMount the disk/),
  ]);
});

test("a lost password of the embedded database isn't recreated; a start on a full disk is refused until there is room", async () => {
  const place = mount("volume", "680m");
  if (!place) return;
  const dataDir = path.join(place, "data");
  const first = await startSeparately({ HEED_DATA_DIR: dataDir });
  const account = { email: "maya@example.org", name: "Maya", password: "four grey herons wade" };
  const visitor = ({ url }: { url: string }) => new Client(url, { countRows: async () => ({}) });
  expect((await visitor(first).post("/api/auth/register", account)).status).toBe(201);
  expect(await first.stop()).toBe(0);
  expect(findDatabaseFolder(dataDir)).toBe(path.join(dataDir, "postgres"));

  const key = path.join(dataDir, "secrets", "database.key");
  fs.renameSync(key, `${key}.kept`);
  const keyless = await start(dataDir);
  expect([keyless.code, keyless.output]).toEqual([
    1,
    expect.stringContaining(`secrets/database.key is not in ${dataDir}, and its database lets nobody in`),
  ]);
  expect(fs.existsSync(key)).toBe(false);
  fs.renameSync(`${key}.kept`, key);

  const filling = fill(place);
  const full = await start(dataDir);
  expect([full.code, full.output]).toEqual([
    1,
    expect.stringContaining("There is no room left on the disk of"),
  ]);
  fs.rmSync(filling);
  const second = await startSeparately({ HEED_DATA_DIR: dataDir });
  expect((await visitor(second).get("/api/health/ready")).status).toBe(200);
  expect(await second.stop()).toBe(0);
});

/** Every command in package.json that runs a program of ours; `screens:landing` is an option of `screens`. */
const scripts: Record<string, string> = JSON.parse(
  fs.readFileSync(path.join(PROJECT_ROOT, "package.json"), "utf8"),
).scripts;
const COMMANDS = Object.entries(scripts).flatMap(([name, line]) => {
  const [, program] = /\bnode (?:--\S+ )*(\S+\.ts)\b/.exec(line) ?? [];
  if (!program || name === "screens:landing") return [];
  return [{ call: /^(start|test)$/.test(name) ? `npm ${name}` : `npm run ${name}`, program }];
});

test.each(COMMANDS)("$call --help prints the usage, and does nothing else", async ({ call, program }) => {
  const { code, output } = await spawnProjectCommand(
    path.join("../..", program.replace(/\.ts$/, "")),
    ["--help"],
    {},
  );
  expect([code, output.split("\n")[0]]).toEqual([0, expect.stringContaining(call)]);
  expect(output).not.toContain("removed");
  // Of what `npm run trim` would remove.
  expect(fs.existsSync(path.join(PROJECT_ROOT, "node_modules/typescript/package.json"))).toBe(true);
});
