import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import { createUser } from "#e2e/support/rows.ts";
import { loadSystemHealth } from "#lib/admin/health.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { recordAuditHeads } from "#lib/audit/heads.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { createStorageKey, getFileStorage } from "#lib/files/storage/storage.ts";
import { sweepOrphanedFiles } from "#lib/worker/orphan-sweep.ts";
import { JOB_TASKS } from "#lib/worker/tasks.ts";

/** The nightly sweep removes files without a row, but no files of another database, nor of a later state of its own. */

const DAY_MS = 24 * 3600_000;
const tonight = Date.now();
/** The time of the sweep this many nights later. */
const nightsLater = (nights: number) => new Date(tonight + nights * DAY_MS);

beforeEach(async () => {
  fs.rmSync(path.join(env().dataDir, "files"), { recursive: true, force: true });
  await prisma.user.updateMany({ data: { avatarKey: null } });
  await prisma.installationMetadata.deleteMany();
});

/** Stores a file two hours ago. @returns its key */
async function storeFile(): Promise<string> {
  const key = createStorageKey();
  const source = path.join(env().dataDir, key);
  fs.writeFileSync(source, "What I saw.");
  await getFileStorage().put(key, source, "text/plain");
  const twoHoursAgo = new Date(tonight - 2 * 3600_000);
  fs.utimesSync(path.join(buildFolderPath(key), key), twoHoursAgo, twoHoursAgo);
  return key;
}

const buildFolderPath = (key: string) => path.join(env().dataDir, "files", key.slice(0, 2), key.slice(2, 4));

/** Stores a file that a row names. @returns its key */
async function storeFileWithRow(): Promise<string> {
  const key = await storeFile();
  await nameFile(key);
  return key;
}

async function nameFile(key: string): Promise<void> {
  const { id } = await createUser();
  await prisma.user.update({ where: { id }, data: { avatarKey: key } });
}

async function listFiles(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of getFileStorage().list()) keys.push(key);
  return keys.toSorted();
}

const loadStorageHealth = async () => (await loadSystemHealth([])).storage;

it("removes a file without a row a week after it was first found, and what is partial at once", async () => {
  const [known, orphan] = [await storeFileWithRow(), await storeFile()];
  const partial = path.join(
    buildFolderPath(orphan),
    `${orphan.slice(0, 4)}${createStorageKey().slice(4)}.part`,
  );
  fs.writeFileSync(partial, "What I");
  fs.utimesSync(partial, nightsLater(-2), nightsLater(-2));
  await JOB_TASKS.sweepOrphans.run({}, { isLast: true });
  expect([await listFiles(), fs.existsSync(partial)]).toEqual([[known, orphan].toSorted(), false]);
  expect(await sweepOrphanedFiles(nightsLater(6))).toBe(0);
  expect(await sweepOrphanedFiles(nightsLater(8))).toBe(1);
  expect(await listFiles()).toEqual([known]);
  expect(await prisma.installationMetadata.count()).toBe(0);
  expect(await loadStorageHealth()).toMatchObject({ status: "ok", sweepRefusedAt: null });
});

it("counts from today where a clock ahead of time first found the file", async () => {
  const [known, orphan] = [await storeFileWithRow(), await storeFile()];
  expect(await sweepOrphanedFiles(nightsLater(365))).toBe(0);
  expect(await sweepOrphanedFiles(nightsLater(0))).toBe(0);
  expect(await listFiles()).toEqual([known, orphan].toSorted());
  expect(await sweepOrphanedFiles(nightsLater(8))).toBe(1);
});

it("keeps old files whose rows a recovery took, and counts anew once they have lost their rows again", async () => {
  const [known, recovered] = [await storeFileWithRow(), await storeFile()];
  fs.utimesSync(path.join(buildFolderPath(recovered), recovered), nightsLater(-90), nightsLater(-90));
  expect(await sweepOrphanedFiles(nightsLater(0))).toBe(0);
  await nameFile(recovered);
  expect(await sweepOrphanedFiles(nightsLater(1))).toBe(0);
  await prisma.user.updateMany({ where: { avatarKey: recovered }, data: { avatarKey: null } });
  expect(await sweepOrphanedFiles(nightsLater(8))).toBe(0);
  expect(await listFiles()).toEqual([known, recovered].toSorted());
});

it("removes nothing and fails the health check while the database names none of the files", async () => {
  const keys = [await storeFile(), await storeFile()].toSorted();
  for (const nights of [0, 8]) expect(await sweepOrphanedFiles(nightsLater(nights))).toBe(0);
  expect(await listFiles()).toEqual(keys);
  expect(await loadStorageHealth()).toMatchObject({ status: "failed", sweepRefusedAt: nightsLater(8) });
  await nameFile(keys[0] ?? "");
  expect(await sweepOrphanedFiles(nightsLater(9))).toBe(0);
  expect(await loadStorageHealth()).toMatchObject({ status: "ok", sweepRefusedAt: null });
});

it("removes nothing and fails the health check while the database lacks an audit entry that the data folder knows", async () => {
  const [known, orphan] = [await storeFileWithRow(), await storeFile()];
  await sweepOrphanedFiles(nightsLater(0));
  const object = { type: "mail", id: null } as const;
  await runTransaction((tx) =>
    appendAuditEntry(tx, { action: "mail.test", actorId: null, right: "service", object }),
  );
  await recordAuditHeads();
  await prisma.$executeRaw`alter table audit_entries disable trigger user`;
  const { data: _, ...newest } = await prisma.auditEntry.findFirstOrThrow({ orderBy: { seq: "desc" } });
  await prisma.auditEntry.deleteMany({ where: { seq: newest.seq } });
  expect(await sweepOrphanedFiles(nightsLater(8))).toBe(0);
  expect(await listFiles()).toEqual([known, orphan].toSorted());
  expect(await loadStorageHealth()).toMatchObject({ status: "failed", sweepRefusedAt: nightsLater(8) });
  await prisma.auditEntry.create({ data: newest });
  await prisma.$executeRaw`alter table audit_entries enable trigger user`;
  expect(await sweepOrphanedFiles(nightsLater(9))).toBe(1);
  expect(await listFiles()).toEqual([known]);
});
