import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { Client } from "#e2e/support/client.ts";
import { spawnProjectCommand } from "#e2e/support/command.ts";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import { startProcess } from "#e2e/support/process.ts";
import { readAllRows } from "#e2e/support/rows-of-backup.ts";
import { startService } from "#e2e/support/service.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, TestWorld } from "#e2e/support/world.ts";
import { ArchiveReader } from "#lib/backup/archive.ts";
import { verifyBackupArchive, readManifest } from "#lib/backup/manifest.ts";
import { FILE_REMOVAL_LOCK } from "#lib/database/advisory-locks.ts";
import { findDatabaseFolder } from "#lib/database/embedded/installation.ts";
import { startOrJoinEmbeddedPostgres } from "#lib/database/embedded/server.ts";

/** Backup and restore, from a service at work to another one that begins with nothing. */

const heed = await startService();
const world = await TestWorld.build(heed);
const { event, maya, omar, sam } = world;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-backup-"));
const inFolder = (name: string) => path.join(folder, name);
const here = { DATABASE_URL: process.env.DATABASE_URL ?? "", HEED_DATA_DIR: heed.process.dataDir };
const PASSPHRASE = { BACKUP_PASSPHRASE: "seven small boats at anchor" };

afterAll(() => {
  for (const name of fs.readdirSync(folder)) {
    const place = fs.statSync(inFolder(name)).isDirectory() && findDatabaseFolder(inFolder(name));
    // Where root runs the tests, the database may lie outside of the data folder.
    if (place) fs.rmSync(place, { recursive: true, force: true });
  }
  fs.rmSync(folder, { recursive: true, force: true });
});

const paths = `/api/events/slug/${event.slug}/incidents`;

/** A report with a photo, of which the team sees a copy and the original is sealed. */
async function reportWithPhoto(title = "Shouting at the registration desk"): Promise<string> {
  const fields = { title, description: "It went on for a while." };
  const body = buildForm(fields, { name: "photo.jpg", bytes: await createPhoto(), type: "image/jpeg" });
  const { status, body: answer, text } = await world.as(maya).post(paths, body);
  expect(status, text).toBe(201);
  return answer.incident.id;
}

async function removeFiles(incidentId: string): Promise<void> {
  const at = `${paths}/${incidentId}/related-files`;
  const { relatedFiles } = (await world.as(world.ada).get(at)).body;
  for (const { id } of relatedFiles)
    expect((await world.as(world.ada).delete(`${at}/${id}`)).status).toBeLessThan(300);
}

const storedFiles = (dataDir: string): Record<string, string> => {
  const root = path.join(dataDir, "files");
  const names = fs.readdirSync(root, { recursive: true }).map(String);
  const files = names.filter((name) => fs.statSync(path.join(root, name)).isFile()).sort();
  return Object.fromEntries(
    files.map((name) => [
      name,
      createHash("sha256")
        .update(fs.readFileSync(path.join(root, name)))
        .digest("hex"),
    ]),
  );
};

/** Reports whose files stay as they are until the end. */
const remaining: string[] = [];

/** When the last backup was begun, in milliseconds since 1970. */
let begunAt = NaN;

test("a backup is taken during writes and deletions", async () => {
  const early = await reportWithPhoto("Written before the backup began");
  remaining.push(early, await reportWithPhoto("It stays, too"));
  const doomed = [await reportWithPhoto(), await reportWithPhoto(), await reportWithPhoto()];
  const ending = new AbortController();
  const writer = async () => {
    for (; !ending.signal.aborted; await sleep(50))
      doomed.push(await reportWithPhoto("Written while the backup was taken"));
  };
  const remover = async () => {
    for (; !ending.signal.aborted; await sleep(20))
      for (const id of doomed.splice(0, 1)) await removeFiles(id);
  };
  const work = Promise.all([writer(), remover()]);
  const backup = async () => {
    await waitUntil("some were written", () => heed.rows("incidents").then((n) => n > 6));
    begunAt = Date.now();
    return spawnProjectCommand("backup", ["--to", inFolder("busy.zip")], { ...here, ...PASSPHRASE });
  };
  const taking = backup();
  // A writer that fails ends the wait.
  const taken = await Promise.race([taking, work.then(() => taking)]).finally(() => ending.abort());
  await work;
  expect(taken, taken.output).toMatchObject({ code: 0 });
  expect((await world.as(maya).get(`${paths}/${early}`)).status).toBe(200);
});

test("the health page says when the last backup was taken", async () => {
  const { backup } = (await world.as(sam).get("/api/admin/health")).body;
  expect(Date.parse(backup.lastAt)).toBeGreaterThanOrEqual(begunAt);
  expect(Date.parse(backup.lastAt)).toBeLessThanOrEqual(Date.now());
});

test("files aren't removed while a backup may copy them", async () => {
  const id = await reportWithPhoto("Its files are removed during a backup");
  const [row] = await heed.sql<{ storage_key: string }>(
    "select storage_key from related_files where incident_id = $1",
    [id],
  );
  const key = row?.storage_key ?? "";
  const file = path.join(heed.process.dataDir, "files", key.slice(0, 2), key.slice(2, 4), key);
  const client = new pg.Client({ connectionString: here.DATABASE_URL });
  client.on("error", () => {});
  await client.connect();
  // What a backup holds from before its snapshot to its end.
  await client.query("select pg_advisory_lock($1)", [FILE_REMOVAL_LOCK]);
  const removing = removeFiles(id);
  const later = () =>
    heed.sql<{ payload: unknown }>(
      `select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
       where t.identifier = 'files.remove' and run_at > now() and payload::text like '%' || $1 || '%'`,
      [key],
    );
  await removing
    .then(() => waitUntil("the removal was put off", async () => (await later()).length > 0))
    .then(() => expect(fs.existsSync(file)).toBe(true))
    .finally(() => client.end());
  await heed.sql(
    "update graphile_worker._private_jobs set run_at = now() where payload::text like '%' || $1 || '%'",
    [key],
  );
  await waitUntil("the file is gone", () => !fs.existsSync(file));
});

test("a drill restores the backup taken during writes completely, and leaves database and files unchanged", async () => {
  // What later backups hold: from here on, nothing is written.
  remaining.push(await reportWithPhoto("It is read again from the backup"));
  const strange = { description: 'Line\u2028separators and "quotes" \\ stay', parties: "Zoë, 李雷, 🌙" };
  await world.report(maya, event, strange);
  expect(await heed.process.stop()).toBe(0);
  const readAll = async () => [await readAllRows(here.DATABASE_URL), storedFiles(here.HEED_DATA_DIR)];
  const before = await readAll();
  const settings = { ...here, ...PASSPHRASE, TMPDIR: inFolder("drills") };
  const wish = ["--from", inFolder("busy.zip"), "--verify"];
  const drill = await spawnProjectCommand("restore", wish, settings);
  expect(drill, drill.output).toMatchObject({ code: 0 });
  expect(drill.output).toMatch(/files came back, and are as they were; [1-9]\d* sealed originals open/);
  expect(drill.output).toContain("The audit log is unbroken.");
  expect(await readAll()).toEqual(before);
  // The folder was made for it, and nothing is left in it.
  expect(fs.readdirSync(settings.TMPDIR)).toEqual([]);
});

/** The restore appends to the system's log. */
const withoutSystemLog = (tables: Awaited<ReturnType<typeof readAllRows>>) =>
  Object.fromEntries(
    Object.entries(tables).map(([name, rows]) => [
      name,
      name.startsWith("public.audit_") ? rows.filter((row) => !row.startsWith("(system,")) : rows,
    ]),
  );

test("a restored service has every row and every file, and works", async () => {
  const [before, files] = [await readAllRows(here.DATABASE_URL), storedFiles(here.HEED_DATA_DIR)];
  const taken = await spawnProjectCommand("backup", ["--to", inFolder("quiet.zip")], {
    ...here,
    ...PASSPHRASE,
  });
  expect(taken, taken.output).toMatchObject({ code: 0 });

  const there = { HEED_DATA_DIR: inFolder("restored"), ...PASSPHRASE };
  const restored = await spawnProjectCommand("restore", ["--from", inFolder("quiet.zip")], there);
  expect(restored, restored.output).toMatchObject({ code: 0 });
  const database = await startOrJoinEmbeddedPostgres({ dataDir: there.HEED_DATA_DIR }, () => {});
  expect(withoutSystemLog(await readAllRows(database.url))).toEqual(withoutSystemLog(before));
  await database.close();
  // Those that no row names any more were not in the backup.
  const back = storedFiles(there.HEED_DATA_DIR);
  expect(Object.entries(files)).toEqual(expect.arrayContaining(Object.entries(back)));
  expect(Object.keys(back).length).toBeGreaterThanOrEqual(2);

  const second = await startProcess({ HEED_DATA_DIR: there.HEED_DATA_DIR });
  try {
    const client = new Client(second.url, { countRows: async () => ({}) });
    expect((await client.post("/api/auth/login", { email: omar.email, password: PASSWORD })).status).toBe(
      200,
    );
    const filesPath = `${paths}/${remaining[2]}/related-files`;
    const [file] = (await client.get(filesPath)).body.relatedFiles;
    const copy = await client.get(`${filesPath}/${file.id}/download`);
    expect([copy.status, copy.bytes.length]).toEqual([200, file.size]);
    expect(
      (
        await client.post(
          paths,
          buildForm({ title: "Sent after the restore", description: "x" }, { name: "a.txt", bytes: "y" }),
        )
      ).status,
    ).toBe(201);
  } finally {
    expect(await second.stop()).toBe(0);
  }
});

test("the log says that it was restored, and has the heads of the backup", async () => {
  const there = { HEED_DATA_DIR: inFolder("restored") };
  const found = await spawnProjectCommand(
    "audit-verify",
    ["--verbose", "--expect", inFolder("quiet.zip")],
    there,
  );
  expect(found, found.output).toMatchObject({ code: 0 });
  expect(found.output).toMatch(/Restored at \S+ from a backup of \S+/);
});

test("nothing is restored over a service that holds something, nor without its keys", async () => {
  const from = ["--from", inFolder("quiet.zip")];
  const full = await spawnProjectCommand("restore", from, {
    HEED_DATA_DIR: inFolder("restored"),
    ...PASSPHRASE,
  });
  expect([full.code, full.output]).toEqual([1, expect.stringContaining("The database is not empty.")]);
  const keyless = await spawnProjectCommand("restore", from, { HEED_DATA_DIR: inFolder("keyless") });
  expect([keyless.code, keyless.output]).toEqual([1, expect.stringContaining("Keys that this backup needs")]);
  const guess = { BACKUP_PASSPHRASE: "seven small boats at sea" };
  const wrong = await spawnProjectCommand("restore", from, { HEED_DATA_DIR: inFolder("wrong"), ...guess });
  expect([wrong.code, wrong.output]).toEqual([
    1,
    expect.stringContaining("BACKUP_PASSPHRASE is not the one"),
  ]);
  for (const name of ["keyless", "wrong"]) expect(findDatabaseFolder(inFolder(name))).toBeUndefined();
});

test("a backup that was damaged is refused before anything is touched", async () => {
  const bytes = fs.readFileSync(inFolder("quiet.zip"));
  const damage = (name: string, at: number) => {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ 1;
    fs.writeFileSync(inFolder(name), copy);
  };
  damage("file.zip", bytes.indexOf("files/") + 400);
  damage("table.zip", bytes.indexOf("tables/public.incidents.jsonl") + 200);
  damage("manifest.zip", bytes.indexOf("manifest.json") + 60);
  damage("list.zip", bytes.lastIndexOf("files/"));
  fs.writeFileSync(inFolder("cut.zip"), bytes.subarray(0, bytes.length - 1000));
  fs.writeFileSync(inFolder("empty.zip"), "");
  const refusals: [string, RegExp][] = [
    ["file.zip", /files\/\S+ of the backup is damaged/],
    ["table.zip", /tables\/public\.incidents\.jsonl of the backup is damaged/],
    ["manifest.zip", /manifest\.json of the backup is damaged/],
    ["list.zip", /can't be read|The backup lacks files\//],
    ["cut.zip", /it is no archive, or not a whole one/],
    ["empty.zip", /it is no archive, or not a whole one/],
    ["absent.zip", /it is not there/],
    [".", /it is a folder/],
  ];
  for (const [name, message] of refusals) await expect(openArchive(name), name).rejects.toThrow(message);
  const settings = { HEED_DATA_DIR: inFolder("unharmed"), ...PASSPHRASE };
  const { code, output } = await spawnProjectCommand("restore", ["--from", inFolder("table.zip")], settings);
  expect([code, output]).toEqual([1, expect.stringMatching(refusals[1]?.[1] ?? "")]);
  expect(findDatabaseFolder(inFolder("unharmed"))).toBeUndefined();
});

/** Opens an archive as the command does, before it opens the database. */
async function openArchive(name: string): Promise<void> {
  const archive = await ArchiveReader.open(inFolder(name));
  try {
    await verifyBackupArchive(archive, await readManifest(archive));
  } finally {
    archive.close();
  }
}

/** What backup and drill say of a file: its id and that of its incident, and no name. */
type Row = { id: string; incident_id: string; storage_key: string; original_key: string };
const rowOf = async (incidentId: string): Promise<Row> => {
  const rows = await heed.sql<Row>("select * from related_files where incident_id = $1", [incidentId]);
  return rows[0] as Row;
};
const placeOf = (key: string) =>
  path.join(heed.process.dataDir, "files", key.slice(0, 2), key.slice(2, 4), key);
const drillOf = (name: string) =>
  spawnProjectCommand("restore", ["--from", inFolder(name), "--verify"], { ...here, ...PASSPHRASE });

function damage(key: string): void {
  const bytes = fs.readFileSync(placeOf(key));
  bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
  fs.writeFileSync(placeOf(key), bytes);
}

/**
 * Of the first two reports' files, whose other part is damaged, one part is missing; the file of the third can't be read.
 */
async function causeFaults() {
  const [one, two, three] = (await Promise.all(remaining.map(rowOf))) as [Row, Row, Row];
  const missing = [one.original_key, two.storage_key].map(
    (key) => [key, fs.readFileSync(placeOf(key))] as const,
  );
  await heed.sql("update users set avatar_key = gen_random_uuid() where id = $1", [maya.id]);
  for (const [key] of missing) fs.rmSync(placeOf(key));
  // A folder in its place fails to be read, as a bad sector does.
  const unreadable = placeOf(three.storage_key);
  fs.renameSync(unreadable, `${unreadable}.aside`);
  fs.mkdirSync(unreadable);
  const repairAllButUnreadable = async () => {
    for (const [key, bytes] of missing) fs.writeFileSync(placeOf(key), bytes);
    await heed.sql("update users set avatar_key = null where id = $1", [maya.id]);
    damage(one.storage_key);
    damage(two.original_key);
  };
  const repairUnreadable = () => {
    fs.rmdirSync(unreadable);
    fs.renameSync(`${unreadable}.aside`, unreadable);
  };
  return { one, two, three, repairAllButUnreadable, repairUnreadable };
}

const KNOWN = "select file_id, part, fault from evidence_problems where fault = 'damaged' order by part";

test("evidence that is damaged is named by the backup, which ends with a code of its own", async () => {
  const [copy, original] = [await rowOf(remaining[0] ?? ""), await rowOf(remaining[1] ?? "")];
  damage(copy.storage_key);
  damage(original.original_key);
  const taken = await spawnProjectCommand("backup", ["--to", inFolder("damaged.zip")], {
    ...here,
    ...PASSPHRASE,
  });
  expect([taken.code, taken.output]).toEqual([
    3,
    expect.stringContaining(
      `Damaged, and in it as it is: file ${copy.id} of incident ${copy.incident_id}.\n`,
    ),
  ]);
  expect(taken.output).toContain(
    `the sealed original of file ${original.id} of incident ${original.incident_id}.`,
  );
  expect(await heed.sql(KNOWN)).toEqual([
    { file_id: copy.id, part: "file", fault: "damaged" },
    { file_id: original.id, part: "original", fault: "damaged" },
  ]);
});

test("missing files are all named, and left out only with the option for that; unreadable ones are left out and named; the drill names them, and what is damaged", async () => {
  const faults = await causeFaults();
  const { one, two, three } = faults;
  const lines = [
    `  the sealed original of file ${one.id} of incident ${one.incident_id}\n`,
    `  file ${two.id} of incident ${two.incident_id}\n`,
    `  the picture of account ${maya.id}\n`,
  ];
  const settings = { ...here, ...PASSPHRASE };
  const refused = await spawnProjectCommand("backup", ["--to", inFolder("torn.zip")], settings);
  expect([refused.code, refused.output]).toEqual([4, expect.stringContaining("3 files are missing")]);
  for (const line of lines) expect(refused.output).toContain(line);
  expect(fs.readdirSync(folder).filter((name) => name.startsWith("torn"))).toEqual([]);

  const wish = ["--to", inFolder("torn.zip"), "--allow-missing"];
  const taken = await spawnProjectCommand("backup", wish, settings);
  expect(taken, taken.output).toMatchObject({ code: 5 });
  for (const line of lines) expect(taken.output).toContain(`Missing, and not in it: ${line.trim()}.`);
  const unreadable = `file ${three.id} of incident ${three.incident_id}`;
  expect(taken.output).toContain(`Unreadable (EISDIR), and not in it: ${unreadable}.\n`);
  const drill = await drillOf("torn.zip");
  expect(drill, drill.output).toMatchObject({ code: 5 });
  for (const line of lines) expect(drill.output).toContain(`Missing when it was taken: ${line.trim()}.`);
  expect(drill.output.match(/Missing when it was taken/g)).toHaveLength(lines.length);
  expect(drill.output).toContain(`Unreadable when it was taken, and missing now: ${unreadable}.\n`);
  expect(drill.output).toContain(
    `Damaged when it was taken: file ${one.id} of incident ${one.incident_id}.\n`,
  );
  expect(drill.output).toContain(`Damaged when it was taken: the sealed original of file ${two.id}`);
  expect(drill.output).toContain("can be restored.");

  await faults.repairAllButUnreadable();
  const partial = await spawnProjectCommand("backup", ["--to", inFolder("partial.zip")], settings);
  faults.repairUnreadable();
  expect(partial, partial.output).toMatchObject({ code: 5 });
  expect(partial.output.match(/and not in it/g)).toHaveLength(1);
  expect(partial.output).not.toContain("Damaged");
  expect(await heed.sql("select file_id, part, fault from evidence_problems")).toEqual([
    { file_id: three.id, part: "file", fault: "unreadable" },
  ]);
});

test("existing data is replaced only with the option for that, and a restored service says that an unreadable file is missing", async () => {
  const { id, incident_id: incidentId, storage_key: key } = await rowOf(remaining[2] ?? "");
  const there = { HEED_DATA_DIR: inFolder("restored"), ...PASSPHRASE };
  // Of an earlier restore: files of the same name would stay.
  fs.rmSync(path.join(there.HEED_DATA_DIR, "files", key.slice(0, 2), key.slice(2, 4), key));
  const wish = ["--from", inFolder("partial.zip"), "--replace"];
  const replaced = await spawnProjectCommand("restore", wish, there);
  expect(replaced, replaced.output).toMatchObject({ code: 0 });
  const line = `Unreadable when it was taken, and missing now: file ${id} of incident ${incidentId}.\n`;
  expect(replaced.output).toContain(line);
  const second = await startProcess({ HEED_DATA_DIR: there.HEED_DATA_DIR });
  try {
    const client = new Client(second.url, { countRows: async () => ({}) });
    const account = { email: omar.email, password: PASSWORD };
    expect((await client.post("/api/auth/login", account)).status).toBe(200);
    const files = `${paths}/${incidentId}/related-files`;
    expect((await client.get(files)).body.relatedFiles).toMatchObject([{ id }]);
    const download = await client.get(`${files}/${id}/download`, { failing: true });
    expect([download.status, download.body.error]).toEqual([503, "This file is missing."]);
    // What was sent to it before is gone.
    expect((await client.get(`${paths}?search=Sent`)).body.pagination.total).toBe(0);
  } finally {
    expect(await second.stop()).toBe(0);
  }
});

test("a backup goes into no folder that isn't there, where a disk is not mounted", async () => {
  for (const name of ["absent", "absent/heed.zip"]) {
    const { code, output } = await spawnProjectCommand("backup", ["--to", inFolder(name)], here);
    expect([code, output]).toEqual([
      1,
      `The folder ${inFolder("absent")} is not there. Mount its disk, or make the folder first.\n`,
    ]);
    expect(fs.existsSync(inFolder("absent"))).toBe(false);
  }
});
