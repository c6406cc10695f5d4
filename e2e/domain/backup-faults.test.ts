import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import { createEvent, createIncident, createOrganization, createUser } from "#e2e/support/rows.ts";
import { ArchiveReader } from "#lib/backup/archive.ts";
import { readManifest, verifyBackupArchive } from "#lib/backup/manifest.ts";
import { takeBackup } from "#lib/backup/take.ts";
import { computeSealKeyId, sealFile } from "#lib/crypto/sealed-file.ts";
import { loadEvidenceMasterKeys } from "#lib/crypto/secrets.ts";
import { prisma } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { createStorageKey, getFileStorage, type FileStorage } from "#lib/files/storage/storage.ts";

/** Which recorded faults of evidence a backup adds and removes (decision 014). */

const { DATABASE_URL: url = "" } = process.env;
const { id: eventId } = await createEvent((await createOrganization()).id);
const { id: incidentId } = await createIncident({ eventId });
const [serviceKey] = loadEvidenceMasterKeys(env());

beforeEach(() => prisma.relatedFile.deleteMany());

type Sealing = { key?: Buffer; keyId?: string; change?: (sealed: Buffer) => void };

/** Stores a file, and its original as sealed with a key; `change` alters the sealed bytes. */
async function addFile({ key = serviceKey, keyId, change }: Sealing = {}) {
  const [storageKey, originalKey] = [createStorageKey(), createStorageKey()];
  const source = path.join(env().dataDir, storageKey);
  fs.writeFileSync(source, "upload");
  await sealFile(source, `${source}.sealed`, { name: originalKey, key });
  const sealed = fs.readFileSync(`${source}.sealed`);
  change?.(sealed);
  fs.writeFileSync(`${source}.sealed`, sealed);
  await getFileStorage().put(storageKey, source, "text/plain");
  await getFileStorage().put(originalKey, `${source}.sealed`, "text/plain");
  const sha256 = createHash("sha256").update("upload").digest("hex");
  const row = { incidentId, eventId, filename: "note.txt", mimetype: "text/plain", size: 6, sha256 };
  const original = { originalKey, originalSize: 6, originalKeyId: keyId ?? null };
  return prisma.relatedFile.create({ data: { ...row, storageKey, ...original } });
}

const recordProblem = (fileId: string, part: "file" | "original", fault: "damaged" | "unreadable") =>
  prisma.evidenceProblem.create({ data: { fileId, part, fault, checkedAt: new Date(0) } });

const backup = path.join(env().dataDir, "backup.zip");
const take = (storage = getFileStorage()) =>
  takeBackup({ url, storage, env: env(), allowMissing: false }, backup);
const listProblems = () =>
  prisma.evidenceProblem.findMany({
    select: { fileId: true, part: true, fault: true },
    orderBy: [{ fileId: "asc" }, { part: "asc" }],
  });

async function takeAndListProblems() {
  const { damaged } = await take();
  return { damaged: damaged.map(({ id, part }) => [id, part]), problems: await listProblems() };
}

const placeOf = (key: string) => path.join(env().dataDir, "files", key.slice(0, 2), key.slice(2, 4), key);

/** Puts a folder in the place of a stored file: it can be opened, and fails to be read, as a bad sector does. */
function makeUnreadable(key: string): void {
  fs.rmSync(placeOf(key));
  fs.mkdirSync(placeOf(key));
}

/** Puts a link to itself in the place of a stored file: it can neither be opened nor listed. */
function makeUnlistable(key: string): void {
  fs.rmSync(placeOf(key));
  fs.symlinkSync(placeOf(key), placeOf(key));
}

it("removes the recorded fault of an intact file, and not that of an original whose key isn't here", async () => {
  const [intact, foreign] = [await addFile(), await addFile({ key: randomBytes(32) })];
  await recordProblem(intact.id, "file", "damaged");
  await recordProblem(intact.id, "original", "damaged");
  await recordProblem(foreign.id, "original", "damaged");
  expect(await takeAndListProblems()).toEqual({
    damaged: [],
    problems: [{ fileId: foreign.id, part: "original", fault: "damaged" }],
  });
});

it("leaves it to the service to say that an unreadable file can be read again", async () => {
  const file = await addFile();
  await recordProblem(file.id, "file", "unreadable");
  const problem = { fileId: file.id, part: "file", fault: "unreadable" };
  expect(await takeAndListProblems()).toEqual({ damaged: [], problems: [problem] });
});

it("counts an original as damaged whose header names another key than its row", async () => {
  const damageKeyId = (sealed: Buffer) => void sealed.writeUInt8(sealed.readUInt8(9) ^ 1, 9);
  const file = await addFile({ keyId: computeSealKeyId(serviceKey), change: damageKeyId });
  expect(await takeAndListProblems()).toEqual({
    damaged: [[file.id, "original"]],
    problems: [{ fileId: file.id, part: "original", fault: "damaged" }],
  });
});

it("completes without files that can't be read, lists them, and records those that are evidence", async () => {
  const [first, second] = [await addFile(), await addFile()];
  const user = await createUser();
  await prisma.user.update({ where: { id: user.id }, data: { avatarKey: createStorageKey() } });
  const { avatarKey } = await prisma.user.findUniqueOrThrow({ where: { id: user.id } });
  fs.mkdirSync(placeOf(avatarKey!), { recursive: true });
  makeUnreadable(first.storageKey);
  makeUnlistable(second.originalKey!);
  await recordProblem(first.id, "file", "damaged");
  await recordProblem(second.id, "file", "damaged");
  const { files, missing, damaged, unreadable } = await take().finally(() =>
    prisma.user.update({ where: { id: user.id }, data: { avatarKey: null } }),
  );
  expect([missing, damaged]).toEqual([[], []]);
  const evidence = { incidentId, code: "EISDIR" };
  expect(unreadable).toHaveLength(3);
  expect(unreadable).toEqual(
    expect.arrayContaining([
      { ...evidence, key: first.storageKey, part: "file", id: first.id },
      { ...evidence, key: second.originalKey, part: "original", id: second.id, code: "ELOOP" },
      { key: avatarKey, part: "users", id: user.id, incidentId: null, code: "EISDIR" },
    ]),
  );
  expect(files.map(({ key }) => key).sort()).toEqual([first.originalKey, second.storageKey].sort());
  const archive = await ArchiveReader.open(backup);
  await verifyBackupArchive(archive, await readManifest(archive));
  await expect(archive.open(`files/${first.storageKey}`)).rejects.toThrow("The backup lacks");
  archive.close();
  expect(await listProblems()).toEqual(
    [
      { fileId: first.id, part: "file", fault: "unreadable" },
      { fileId: second.id, part: "original", fault: "unreadable" },
    ].sort((a, b) => (a.fileId < b.fileId ? -1 : 1)),
  );
});

it("copies a file that is larger than any upload, as a damaged one", async () => {
  const file = await addFile();
  fs.truncateSync(placeOf(file.storageKey), 40 * 1024 * 1024);
  expect(await takeAndListProblems()).toEqual({
    damaged: [[file.id, "file"]],
    problems: [{ fileId: file.id, part: "file", fault: "damaged" }],
  });
});

it("fails, and records nothing, when no file can be read", async () => {
  const file = await addFile();
  makeUnreadable(file.storageKey);
  makeUnreadable(file.originalKey!);
  await expect(take()).rejects.toThrow("No stored file can be read, although the storage responds: EISDIR.");
  expect(await listProblems()).toEqual([]);
});

it.each([
  ["none of the first twenty files can be read", 0, "No stored file can be read"],
  ["twenty files in a row can't be read", 1, "One stored file after the other can't be read"],
])("fails, and records nothing, when %s", async (_, readableCount, message) => {
  const files = await Promise.all(Array.from({ length: 11 }, () => addFile()));
  const keys = files.flatMap(({ storageKey, originalKey }) => [storageKey, originalKey!]).sort();
  for (const key of keys.slice(readableCount, readableCount + 20)) makeUnreadable(key);
  await expect(take()).rejects.toThrow(message);
  expect(await listProblems()).toEqual([]);
});

it("fails, and records nothing, when the storage stops responding while files are copied", async () => {
  await addFile();
  await addFile();
  const root = path.join(env().dataDir, "files");
  const storage = getFileStorage();
  let opened = 0;
  const disappearing: FileStorage = {
    ...storage,
    open: (key) => {
      opened += 1;
      if (opened === 3) fs.renameSync(root, `${root}.aside`);
      return storage.open(key);
    },
  };
  try {
    await expect(take(disappearing)).rejects.toThrow("The storage of files can't be used: ENOENT.");
  } finally {
    fs.renameSync(`${root}.aside`, root);
  }
  expect(await listProblems()).toEqual([]);
});
