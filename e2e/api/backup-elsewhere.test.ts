import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { Client } from "#e2e/support/client.ts";
import { spawnProjectCommand, type CommandOutcome } from "#e2e/support/command.ts";
import { dropDatabase } from "#e2e/support/database.ts";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import { ObjectStorage } from "#e2e/support/object-storage.ts";
import { startProcess } from "#e2e/support/process.ts";
import { readAllRows } from "#e2e/support/rows-of-backup.ts";
import { startService } from "#e2e/support/service.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, TestWorld } from "#e2e/support/world.ts";
import { createS3Storage } from "#lib/files/storage/s3.ts";
import { withMigrationLock } from "#lib/database/migrate.ts";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";

/** Backup and restore where DATABASE_URL names the database and S3_URL the files, and what can be wrong with either. */

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-backup-"));
const inFolder = (name: string) => path.join(folder, name);

const storage = await ObjectStorage.start(["heed", "second"]);

const here = {
  DATABASE_URL: process.env.DATABASE_URL ?? "",
  HEED_DATA_DIR: process.env.HEED_DATA_DIR ?? "",
  S3_URL: storage.url("heed/one?region=eu-central-1"),
  BACKUP_PASSPHRASE: "nine lamps along the quay",
};
const heed = await startService({ S3_URL: here.S3_URL });
const world = await TestWorld.build(heed);
const paths = `/api/events/slug/${world.event.slug}/incidents`;

const databases: string[] = [];
const nameOf = (url: string) => new URL(url).pathname.slice(1);

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: here.DATABASE_URL });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** Where to restore to: an empty database, an empty part of the other bucket, a new data folder. */
async function emptyPlace() {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await administer(`create database ${name}`);
  databases.push(name);
  const DATABASE_URL = here.DATABASE_URL.replace(nameOf(here.DATABASE_URL), name);
  return { ...here, DATABASE_URL, HEED_DATA_DIR: inFolder(name), S3_URL: storage.url(`second/${name}`) };
}

afterAll(async () => {
  for (const name of databases) await dropDatabase(here.DATABASE_URL, name);
  await storage.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Every object, by its key. */
async function objects(url: string): Promise<Record<string, string>> {
  const storage = createS3Storage(url);
  const found: Record<string, string> = {};
  for await (const { key } of storage.list())
    found[key] = (await buffer((await storage.open(key)).stream)).toString("base64");
  return found;
}

async function reportWithPhoto(): Promise<string> {
  const fields = { title: "A hand on the shoulder", description: "Twice, at the bar." };
  const file = { name: "photo.jpg", bytes: await createPhoto(), type: "image/jpeg" };
  const { status, body, text } = await world.as(world.maya).post(paths, buildForm(fields, file));
  expect(status, text).toBe(201);
  return body.incident.id;
}

const archive = ["--from", inFolder("whole.zip")];
const there = await emptyPlace();

async function failToRestore(): Promise<void> {
  await administer(`alter database ${nameOf(there.DATABASE_URL)} set search_path = nowhere`);
  const failed = await spawnProjectCommand("restore", archive, there);
  expect([failed.code, failed.output]).toEqual([1, expect.stringContaining("no schema has been selected")]);
  expect(await objects(there.S3_URL)).toEqual({});
  await administer(`alter database ${nameOf(there.DATABASE_URL)} reset search_path`);
}

/** Restores while a service starts on the same database: each waits for the other. */
async function restoreBesideStart(): Promise<CommandOutcome> {
  const before = await readAllRows(there.DATABASE_URL);
  const release = Promise.withResolvers<void>();
  const held = withMigrationLock(
    there.DATABASE_URL,
    () => {},
    () => release.promise,
  );
  const restoring = spawnProjectCommand("restore", archive, there);
  const connections = () =>
    heed.rows("pg_stat_activity", "datname = $1 and application_name = 'heed-migrate'", [
      nameOf(there.DATABASE_URL),
    ]);
  // The command has to start and to read the archive first.
  await waitUntil("it waits as well", async () => (await connections()) === 2, 90_000);
  await sleep(1500);
  expect(await readAllRows(there.DATABASE_URL)).toEqual(before);
  release.resolve();
  await held;
  return restoring;
}

test("rows and files are restored into an empty database and bucket, after a restore that failed removed its files, and once no service starts there", async () => {
  const id = await reportWithPhoto();
  await reportWithPhoto();
  expect(await heed.process.stop()).toBe(0);
  const before = await readAllRows(here.DATABASE_URL);
  const files = await objects(here.S3_URL);
  // Overwritten: what a killed backup left.
  fs.writeFileSync(inFolder("whole.zip.part"), "half of one");
  const taken = await spawnProjectCommand("backup", ["--to", inFolder("whole.zip")], here);
  expect(taken, taken.output).toMatchObject({ code: 0 });
  expect(fs.existsSync(inFolder("whole.zip.part"))).toBe(false);
  await failToRestore();
  const restored = await restoreBesideStart();
  expect(restored, restored.output).toMatchObject({ code: 0 });
  expect(await readAllRows(there.DATABASE_URL)).toEqual(before);
  // A copy and a sealed original of each photo.
  expect(Object.keys(files)).toHaveLength(4);
  expect(await objects(there.S3_URL)).toEqual(files);
  // Neither a database nor files were put into the data folder.
  expect(findDatabaseFolder(there.HEED_DATA_DIR)).toBeUndefined();
  expect(fs.existsSync(path.join(there.HEED_DATA_DIR, "files"))).toBe(false);

  const second = await startProcess(there);
  try {
    const client = new Client(second.url, { countRows: async () => ({}) });
    const account = { email: world.omar.email, password: PASSWORD };
    expect((await client.post("/api/auth/login", account)).status).toBe(200);
    const [file] = (await client.get(`${paths}/${id}/related-files`)).body.relatedFiles;
    const copy = await client.get(`${paths}/${id}/related-files/${file.id}/download`);
    expect([copy.status, copy.bytes.length]).toEqual([200, file.size]);
  } finally {
    expect(await second.stop()).toBe(0);
  }
});

test("a bucket that isn't empty is refused, also with an empty database", async () => {
  const { DATABASE_URL } = await emptyPlace();
  const before = await objects(there.S3_URL);
  const { code, output } = await spawnProjectCommand("restore", archive, { ...there, DATABASE_URL });
  expect([code, output]).toEqual([1, expect.stringContaining("There are stored files already.")]);
  expect(await readAllRows(DATABASE_URL)).toEqual({});
  expect(await objects(there.S3_URL)).toEqual(before);
});

const unavailable: [string, string, string][] = [
  ["the bucket isn't there", storage.url("missing/one"), "there is no such bucket"],
  ["the key is refused", storage.url("heed/one", "NOBODY"), "key and secret in S3_URL are refused"],
];

test.each(unavailable)("when %s, a backup says so and writes nothing", async (...[, S3_URL, message]) => {
  const taken = await spawnProjectCommand("backup", ["--to", inFolder("torn.zip")], { ...here, S3_URL });
  expect([taken.code, taken.output]).toEqual([1, expect.stringContaining(message)]);
  expect(fs.readdirSync(folder).filter((name) => name.startsWith("torn"))).toEqual([]);
});

const broken: [string, Record<string, string>, string][] = [
  ["nobody answers", { S3_URL: "http://key:secret@127.0.0.1:9/heed" }, "nobody answers at the address"],
  [
    "the password is wrong",
    { DATABASE_URL: here.DATABASE_URL.replace(/:[^:@/]+@/, ":wrong@") },
    "password authentication failed",
  ],
];

test.each(broken)("when %s, both commands say so and change nothing", async (...[, wrong, message]) => {
  const taken = await spawnProjectCommand("backup", ["--to", inFolder("torn.zip")], { ...here, ...wrong });
  expect([taken.code, taken.output]).toEqual([1, expect.stringContaining(message)]);
  expect(fs.readdirSync(folder).filter((name) => name.startsWith("torn"))).toEqual([]);
  const before = await readAllRows(there.DATABASE_URL);
  const wish = [...archive, "--replace"];
  const restored = await spawnProjectCommand("restore", wish, { ...there, ...wrong });
  expect([restored.code, restored.output]).toEqual([1, expect.stringContaining(message)]);
  expect(await readAllRows(there.DATABASE_URL)).toEqual(before);
});

test("a prefix that isn't the service's fails the backup, and is no fault of the files", async () => {
  const elsewhere = { ...here, S3_URL: storage.url("heed/two") };
  const { code, output } = await spawnProjectCommand("backup", ["--to", inFolder("torn.zip")], elsewhere);
  expect([code, output]).toEqual([4, expect.stringContaining("not where HEED_DATA_DIR and S3_URL")]);
  expect(await heed.rows("evidence_problems")).toBe(0);
});

test("a backup is refused without the data key, or of a database that isn't Heed's", async () => {
  const { DATABASE_URL } = await emptyPlace();
  const to = ["--to", inFolder("torn.zip")];
  const keyless = await spawnProjectCommand("backup", to, { ...here, HEED_DATA_DIR: inFolder("nothing") });
  expect([keyless.code, keyless.output]).toEqual([1, expect.stringContaining("no secrets/data.key in")]);
  const empty = await spawnProjectCommand("backup", to, { ...here, DATABASE_URL });
  expect([empty.code, empty.output]).toEqual([1, expect.stringContaining("holds no tables of Heed")]);
  expect(fs.readdirSync(folder).filter((name) => name.startsWith("torn"))).toEqual([]);
});
