import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeEach, expect, it } from "vitest";
import { createEvent, createIncident, createOrganization } from "#e2e/support/rows.ts";
import { prisma } from "#lib/database/client.ts";
import { computeSealKeyId } from "#lib/crypto/sealed-file.ts";
import { loadAuditKeys } from "#lib/audit/keys.ts";
import {
  assertAuditKeysMatchDatabase,
  assertEncryptionKeysMatchDatabase,
  checkEncryptionKeysAndCreateMissingSecrets,
  recordMissingEncryptionKeysAsLost,
  EncryptionKeysMissingError,
} from "#lib/backup/key-fingerprints.ts";
import { isFirstDataKeyLost } from "#lib/erasures/queries.ts";
import { listAvailableEvidenceMasterKeys, readSecret } from "#lib/crypto/secrets.ts";

/** A start with keys that open nothing of what is in the database is refused. */

const root = fs.mkdtempSync(path.join(os.tmpdir(), "heed-fingerprints-"));
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
afterAll(async () => {
  await client.end();
  fs.rmSync(root, { recursive: true, force: true });
});

let machines = 0;
const machine = (EVIDENCE_KEYS?: string) => ({
  dataDir: path.join(root, `${(machines += 1)}`),
  EVIDENCE_KEYS,
  AUDIT_KEYS: undefined,
});
type Machine = ReturnType<typeof machine>;
const keyOf = (one: Machine) => path.join(one.dataDir, "secrets", "data.key");
const refusal = (one: Machine): Promise<string[]> =>
  checkEncryptionKeysAndCreateMissingSecrets(client, one).then(
    () => [],
    (error: unknown) =>
      error instanceof EncryptionKeysMissingError ? error.message.split("\n") : [`${error}`],
  );

beforeEach(async () => {
  await prisma.keyFingerprint.deleteMany();
  await prisma.relatedFile.deleteMany();
  await prisma.secondFactor.deleteMany();
  await prisma.auditChain.deleteMany();
});

it("a fresh database takes the fingerprint of a key that is made, and says nothing of the key", async () => {
  const first = machine();
  await checkEncryptionKeysAndCreateMissingSecrets(client, first);
  const key = readSecret(first, "data") ?? "";
  const fingerprints = await prisma.keyFingerprint.findMany();
  expect(fingerprints).toMatchObject([
    { name: "data", fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/), lostAt: null },
  ]);
  expect(JSON.stringify(fingerprints)).not.toContain(key);
  await checkEncryptionKeysAndCreateMissingSecrets(client, first);
  await assertEncryptionKeysMatchDatabase(client, first);
  expect(await prisma.keyFingerprint.count()).toBe(1);
});

it("a lost key, and a machine that never had it, are refused in two lines, and no key is made", async () => {
  const first = machine();
  await checkEncryptionKeysAndCreateMissingSecrets(client, first);
  fs.rmSync(keyOf(first));
  for (const one of [first, machine()]) {
    expect(await refusal(one)).toEqual([
      `secrets/data.key is not in ${one.dataDir}, and this database needs it for second factors and recovery codes, the secrets of webhooks, originals, the seven words of conversations, and the list of what was deleted, closed or hidden (erasures.log).`,
      expect.stringMatching(/^Put the right secrets\/data\.key there, .* npm start -- --without-keys$/),
    ]);
    expect(fs.existsSync(keyOf(one))).toBe(false);
    await expect(assertEncryptionKeysMatchDatabase(client, one)).rejects.toThrow(EncryptionKeysMissingError);
  }
});

it("another key is refused, and the right one is taken again", async () => {
  const first = machine();
  await checkEncryptionKeysAndCreateMissingSecrets(client, first);
  const right = fs.readFileSync(keyOf(first));
  fs.writeFileSync(keyOf(first), randomBytes(32).toString("base64url"));
  expect(await refusal(first)).toEqual([
    expect.stringContaining(
      `secrets/data.key in ${first.dataDir} is not the key that this database needs for`,
    ),
    expect.any(String),
  ]);
  fs.writeFileSync(keyOf(first), right);
  expect(await refusal(first)).toEqual([]);
});

it("a lost key of AUDIT_KEYS stops a start once an entry has it, until it is given up", async () => {
  const [old, next] = [randomBytes(32), randomBytes(32)].map((key) => key.toString("base64"));
  const first = { ...machine(), AUDIT_KEYS: old };
  await checkEncryptionKeysAndCreateMissingSecrets(client, first);
  const without = { ...first, AUDIT_KEYS: undefined };
  await assertAuditKeysMatchDatabase(client, without);
  const [{ id: keyId } = { id: "" }] = loadAuditKeys(first);
  const what = { action: "mail.test", objectType: "mail", byRight: "service", at: new Date() };
  await prisma.auditEntry.create({ data: { chain: "tested", seq: 1, keyId, mac: "", ...what } });
  await prisma.auditChain.create({ data: { chain: "tested", seq: 1 } });
  for (const keys of [undefined, next])
    await expect(assertAuditKeysMatchDatabase(client, { ...first, AUDIT_KEYS: keys })).rejects.toThrow(
      `The audit log has entries of a key that AUDIT_KEYS does not hold (${keyId}).\nSet AUDIT_KEYS as it was`,
    );
  await assertAuditKeysMatchDatabase(client, { ...first, AUDIT_KEYS: `${next},${old}` });
  await recordMissingEncryptionKeysAsLost(client, without);
  await assertAuditKeysMatchDatabase(client, without);
});

it("a key of originals is asked for as long as there is an original that it sealed", async () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)].map((key) => key.toString("base64"));
  const here = machine(`${fresh},${old}`);
  await checkEncryptionKeysAndCreateMissingSecrets(client, here);
  const { id: eventId } = await createEvent((await createOrganization()).id);
  const { id: incidentId } = await createIncident({ eventId });
  const original = (key: string | undefined) => ({
    incidentId,
    eventId,
    filename: "a.jpg",
    mimetype: "image/jpeg",
    size: 1,
    sha256: "0".repeat(64),
    storageKey: `${Math.random()}`,
    originalKey: `${Math.random()}`,
    originalKeyId: computeSealKeyId(Buffer.from(key ?? "", "base64")),
  });
  await prisma.relatedFile.create({ data: original(fresh) });
  expect(await refusal({ ...here, EVIDENCE_KEYS: fresh })).toEqual([]);
  await prisma.relatedFile.createMany({ data: [original(old), original(old)] });
  expect(await refusal(here)).toEqual([]);
  expect(await refusal({ ...here, EVIDENCE_KEYS: fresh })).toEqual([
    expect.stringContaining("2 originals are sealed with a key that EVIDENCE_KEYS does not hold"),
    expect.stringContaining("Set EVIDENCE_KEYS as it was"),
  ]);
  const [own] = listAvailableEvidenceMasterKeys({ dataDir: here.dataDir, EVIDENCE_KEYS: undefined });
  await prisma.relatedFile.updateMany({ data: { originalKeyId: computeSealKeyId(own as Buffer) } });
  expect(await refusal({ ...here, EVIDENCE_KEYS: undefined })).toEqual([]);
});

it("a key that is lost for good is no longer required once the operator says so", async () => {
  const first = machine();
  await checkEncryptionKeysAndCreateMissingSecrets(client, first);
  fs.rmSync(keyOf(first));
  expect(await refusal(first)).toHaveLength(2);
  await recordMissingEncryptionKeysAsLost(client, first);
  expect(await refusal(first)).toEqual([]);
  expect(await prisma.keyFingerprint.findMany({ orderBy: { createdAt: "asc" } })).toMatchObject([
    { name: "data", lostAt: expect.any(Date) },
    { name: "data", lostAt: null },
  ]);
  expect(await refusal(machine())).toHaveLength(2);
});

it("a lost key that is put back is the first one again, and the key that replaced it is given up", async () => {
  const first = machine();
  await checkEncryptionKeysAndCreateMissingSecrets(client, first);
  expect(await isFirstDataKeyLost()).toBe(false);
  const right = fs.readFileSync(keyOf(first));
  fs.rmSync(keyOf(first));
  await recordMissingEncryptionKeysAsLost(client, first);
  await checkEncryptionKeysAndCreateMissingSecrets(client, first);
  expect(await isFirstDataKeyLost()).toBe(true);
  fs.writeFileSync(keyOf(first), right);
  expect(await refusal(first)).toHaveLength(2);
  await recordMissingEncryptionKeysAsLost(client, first);
  await checkEncryptionKeysAndCreateMissingSecrets(client, first);
  expect(await isFirstDataKeyLost()).toBe(false);
  expect(await prisma.keyFingerprint.findMany({ orderBy: { createdAt: "asc" } })).toMatchObject([
    { name: "data", lostAt: null },
    { name: "data", lostAt: expect.any(Date) },
  ]);
});
