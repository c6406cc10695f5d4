import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import { createEvent, createIncident, createOrganization } from "#e2e/support/rows.ts";
import { EVIDENCE_CHECK_LOCK } from "#lib/database/advisory-locks.ts";
import { getPrismaPool, prisma } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { loadSystemHealth } from "#lib/admin/health.ts";
import {
  startEvidenceCheck,
  continueEvidenceCheck,
  recheckEvidenceProblems,
} from "#lib/evidence/integrity.ts";
import { loadEventEvidenceUsage } from "#lib/evidence/queries.ts";
import { sealFile } from "#lib/crypto/sealed-file.ts";
import { createStorageKey, getFileStorage } from "#lib/files/storage/storage.ts";
import { loadEvidenceMasterKeys } from "#lib/crypto/secrets.ts";

/** The check of stored evidence: what it finds, and that it finds it once. */

const { id: eventId } = await createEvent((await createOrganization()).id);
const { id: incidentId } = await createIncident({ eventId });
const folder = fs.mkdtempSync(path.join(env().dataDir, "evidence-"));

const sha256Of = (text: string) => createHash("sha256").update(text).digest("hex");
const placeOf = (key: string) => path.join(env().dataDir, "files", key.slice(0, 2), key.slice(2, 4), key);

async function put(text: string, seal = false): Promise<string> {
  const key = createStorageKey();
  const source = path.join(folder, key);
  fs.writeFileSync(source, text);
  if (seal) await sealFile(source, `${source}.sealed`, { name: key, key: loadEvidenceMasterKeys(env())[0] });
  await getFileStorage().put(key, seal ? `${source}.sealed` : source, "text/plain");
  return key;
}

/** A file whose copy and sealed original are in the storage; its id begins with this digit. */
async function addFile(
  digit: number,
  ofIncident = incidentId,
): Promise<{ id: string; storageKey: string; originalKey: string }> {
  const data = {
    id: `${digit}${randomUUID().slice(1)}`,
    incidentId: ofIncident,
    eventId,
    filename: "note.txt",
    mimetype: "text/plain",
    size: 4,
    sha256: sha256Of("upload"),
    copySha256: sha256Of("copy"),
    storageKey: await put("copy"),
    originalKey: await put("upload", true),
    originalSize: 6,
  };
  await prisma.relatedFile.create({ data });
  return data;
}

const problems = async () =>
  (await prisma.evidenceProblem.findMany({ orderBy: [{ fileId: "asc" }, { part: "asc" }] })).map(
    ({ fileId, part, fault }) => [fileId, part, fault],
  );

/** Flips a bit of a stored file. */
function damage(key: string, at: number): void {
  const bytes = fs.readFileSync(placeOf(key));
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  fs.writeFileSync(placeOf(key), bytes);
}

async function checkAll(): Promise<void> {
  await startEvidenceCheck();
  while (await continueEvidenceCheck());
}

beforeEach(async () => {
  await prisma.relatedFile.deleteMany();
  await prisma.evidenceCheck.deleteMany();
});

it("finds what is missing or damaged, and notices when it is put back", async () => {
  const [, changed, lost, sealed] = [await addFile(1), await addFile(2), await addFile(3), await addFile(4)];
  damage(changed.storageKey, 0);
  const bytes = fs.readFileSync(placeOf(lost.originalKey));
  fs.rmSync(placeOf(lost.originalKey));
  damage(sealed.originalKey, bytes.length - 20);
  await checkAll();
  expect(await problems()).toEqual([
    [changed.id, "file", "damaged"],
    [lost.id, "original", "missing"],
    [sealed.id, "original", "damaged"],
  ]);
  const { evidence, status } = await loadSystemHealth([]);
  expect([status, evidence]).toEqual([
    "failed",
    {
      status: "failed",
      damaged: 2,
      missing: 1,
      unreadable: 0,
      checkedAt: expect.any(Date),
      checkLate: false,
      checking: null,
      problems: expect.arrayContaining([
        { fileId: changed.id, incidentId, part: "file", fault: "damaged", foundAt: expect.any(Date) },
      ]),
    },
  ]);

  damage(changed.storageKey, 0);
  fs.writeFileSync(placeOf(lost.originalKey), bytes);
  await recheckEvidenceProblems();
  expect(await problems()).toEqual([[sealed.id, "original", "damaged"]]);
  await prisma.relatedFile.delete({ where: { id: sealed.id } });
  expect((await loadSystemHealth([])).evidence).toMatchObject({
    status: "ok",
    damaged: 0,
    missing: 0,
    problems: [],
  });
});

/** Puts a folder in the place of a stored file, which fails to be read, as a bad sector does. Returns how to undo it. */
function makeUnreadable(key: string): () => void {
  fs.renameSync(placeOf(key), `${placeOf(key)}.aside`);
  fs.mkdirSync(placeOf(key));
  return () => {
    fs.rmdirSync(placeOf(key));
    fs.renameSync(`${placeOf(key)}.aside`, placeOf(key));
  };
}

it("records a file that can't be read, checks those after it, and notices when it can be read again", async () => {
  const [first, second, third] = [await addFile(1), await addFile(2), await addFile(3)];
  const [restoreFirst, restoreSecond] = [
    makeUnreadable(first.storageKey),
    makeUnreadable(second.originalKey),
  ];
  damage(third.storageKey, 0);
  await checkAll();
  const found = [
    [first.id, "file", "unreadable"],
    [second.id, "original", "unreadable"],
    [third.id, "file", "damaged"],
  ];
  expect(await problems()).toEqual(found);
  expect(await prisma.evidenceCheck.findMany()).toMatchObject([{ files: 3, finishedAt: expect.any(Date) }]);
  const { evidence } = await loadSystemHealth([]);
  expect(evidence).toMatchObject({
    status: "failed",
    damaged: 1,
    missing: 0,
    unreadable: 2,
    checkLate: false,
  });

  damage(third.storageKey, 0);
  restoreSecond();
  await recheckEvidenceProblems();
  expect(await problems()).toEqual(found.slice(0, 1));
  restoreFirst();
  await recheckEvidenceProblems();
  expect(await problems()).toEqual([]);
});

it("stops at the first file while the storage doesn't respond, and records nothing", async () => {
  const file = await addFile(1);
  const root = path.join(env().dataDir, "files");
  const restoreFile = makeUnreadable(file.storageKey);
  fs.renameSync(root, `${root}.aside`);
  fs.writeFileSync(root, "a file in the folder's place");
  try {
    await startEvidenceCheck();
    await expect(continueEvidenceCheck()).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(await problems()).toEqual([]);
    expect(await prisma.evidenceCheck.findMany()).toMatchObject([{ files: 0, finishedAt: null }]);
  } finally {
    fs.rmSync(root);
    fs.renameSync(`${root}.aside`, root);
    restoreFile();
  }
});

it("is late, which is a failure, three days after the last complete check or the creation of the database", async () => {
  const days = (count: number) => new Date(Date.now() - count * 24 * 3600_000);
  const evidenceStatus = async () => {
    const { status, checkLate } = (await loadSystemHealth([])).evidence;
    return [status, checkLate];
  };
  await checkAll();
  await prisma.evidenceCheck.updateMany({ data: { completedAt: days(2.9) } });
  expect(await evidenceStatus()).toEqual(["ok", false]);
  await prisma.evidenceCheck.updateMany({ data: { completedAt: days(3.1), finishedAt: null } });
  expect(await evidenceStatus()).toEqual(["failed", true]);

  await prisma.evidenceCheck.deleteMany();
  expect(await evidenceStatus()).toEqual(["ok", false]);
  const shift = "update _prisma_migrations set finished_at = finished_at + $1::interval";
  await getPrismaPool().query(shift, ["-4 days"]);
  try {
    expect(await evidenceStatus()).toEqual(["failed", true]);
  } finally {
    await getPrismaPool().query(shift, ["4 days"]);
  }
});

it("a file of an incident that is hidden from the reader is in no number of the health, whole or not", async () => {
  const { id: hiddenId } = await createIncident({ eventId });
  const shown = [await addFile(1), await addFile(3), await addFile(5)];
  const hidden = [await addFile(2, hiddenId), await addFile(4, hiddenId)];
  const load = async (hiddenIncidentIds: string[]) => (await loadSystemHealth(hiddenIncidentIds)).evidence;
  await startEvidenceCheck();
  for (let n = 0; n < 4; n += 1) await continueEvidenceCheck(0);
  expect([(await load([hiddenId])).checking, (await load([])).checking]).toEqual([2, 4]);
  damage(hidden[0]!.storageKey, 0);
  fs.rmSync(placeOf(hidden[1]!.originalKey));
  await checkAll();
  await checkAll();
  const whole = {
    status: "ok",
    damaged: 0,
    missing: 0,
    unreadable: 0,
    checkLate: false,
    checking: null,
    problems: [],
  };
  expect(await load([hiddenId])).toEqual({ ...whole, checkedAt: expect.any(Date) });
  expect(await load([])).toMatchObject({ status: "failed", damaged: 1, missing: 1 });
  damage(shown[0]!.storageKey, 0);
  await checkAll();
  expect(await load([hiddenId])).toMatchObject({ status: "failed", damaged: 1, missing: 0 });
});

it("the usage of an event leaves out files of incidents that are hidden from the reader", async () => {
  const { id: hiddenId } = await createIncident({ eventId, listed: true });
  await addFile(1);
  await addFile(2, hiddenId);
  const reader = { id: randomUUID() };
  expect(await loadEventEvidenceUsage(eventId, reader)).toMatchObject({ bytes: 4 + 6, files: 1 });
  await prisma.incidentReader.create({
    data: { access: "full", source: "team", incidentId: hiddenId, userId: reader.id },
  });
  expect(await loadEventEvidenceUsage(eventId, reader)).toMatchObject({ bytes: 2 * (4 + 6), files: 2 });
});

it("continues where the last slice ended, checks each file once, and restarts only when it is complete", async () => {
  const files = [await addFile(1), await addFile(2), await addFile(3)];
  await startEvidenceCheck();
  expect(await continueEvidenceCheck(0)).toBe(true);
  expect((await loadSystemHealth([])).evidence).toMatchObject({
    checking: 1,
    checkedAt: null,
  });
  damage(files[0]?.storageKey ?? "", 0);
  damage(files[2]?.storageKey ?? "", 0);
  await startEvidenceCheck();
  while (await continueEvidenceCheck(0));
  expect(await problems()).toEqual([[files[2]?.id, "file", "damaged"]]);
  expect(await prisma.evidenceCheck.findMany()).toMatchObject([
    { files: 3, bytes: BigInt(3 * (4 + 6)), lastFileId: files[2]?.id, finishedAt: expect.any(Date) },
  ]);
  await checkAll();
  expect(await problems()).toHaveLength(2);
});

it("is done by one process at a time", async () => {
  await addFile(1);
  await startEvidenceCheck();
  const other = await getPrismaPool().connect();
  try {
    await other.query("select pg_advisory_lock($1)", [EVIDENCE_CHECK_LOCK]);
    expect(await continueEvidenceCheck()).toBe(false);
    expect(await prisma.evidenceCheck.findMany()).toMatchObject([{ files: 0, finishedAt: null }]);
  } finally {
    await other.query("select pg_advisory_unlock($1)", [EVIDENCE_CHECK_LOCK]);
    other.release();
  }
  expect(await continueEvidenceCheck()).toBe(false);
  expect(await prisma.evidenceCheck.findMany()).toMatchObject([{ files: 1, finishedAt: expect.any(Date) }]);
});

it("reads no faster than it may", async () => {
  env().EVIDENCE_CHECK_BYTES_PER_SECOND = 20;
  try {
    await addFile(1);
    await startEvidenceCheck();
    const begun = Date.now();
    await continueEvidenceCheck();
    expect(Date.now() - begun).toBeGreaterThan(450);
  } finally {
    env().EVIDENCE_CHECK_BYTES_PER_SECOND = 1e9;
  }
});
