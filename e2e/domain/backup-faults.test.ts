import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import { createEvent, createIncident, createOrganization } from "#e2e/support/rows.ts";
import { takeBackup } from "#lib/backup/take.ts";
import { computeSealKeyId, sealFile } from "#lib/crypto/sealed-file.ts";
import { loadEvidenceMasterKeys } from "#lib/crypto/secrets.ts";
import { prisma } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { createStorageKey, getFileStorage } from "#lib/files/storage/storage.ts";

/** Which recorded faults of evidence a backup adds and removes (decision 038). */

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

async function takeAndListProblems() {
  const source = { url, storage: getFileStorage(), env: env(), allowMissing: false };
  const { damaged } = await takeBackup(source, path.join(env().dataDir, "backup.zip"));
  const problems = await prisma.evidenceProblem.findMany({
    select: { fileId: true, part: true, fault: true },
  });
  return { damaged: damaged.map(({ id, part }) => [id, part]), problems };
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
