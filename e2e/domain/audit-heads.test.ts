import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { loadSystemHealth } from "#lib/admin/health.ts";
import { acceptAuditLog } from "#lib/audit/acceptances.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { mailAuditHeads } from "#lib/audit/heads-mail.ts";
import { readRecordedHeads, recordAuditHeads } from "#lib/audit/heads.ts";
import { startAuditHeadsRecorder } from "#lib/audit/recorder.ts";
import { runTransaction, sql } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";

/** Where the heads of the audit log go. */

const outbox = path.join(env().dataDir, "outbox");
const object = { type: "mail", id: null } as const;
const append = () =>
  runTransaction((tx) =>
    appendAuditEntry(tx, { action: "mail.test", actorId: null, right: "service", object }),
  );

/** Reads the newest mail as text and its attachment. */
function readMail() {
  const [name = ""] = fs.readdirSync(outbox);
  const mail = fs.readFileSync(path.join(outbox, name), "utf8");
  const [, attachment = ""] = mail.split(/filename=heed-audit-heads-[\d-]+\.jsonl/);
  const encoded = /\r\n\r\n([A-Za-z0-9+/=\r\n]+)/.exec(attachment)?.[1] ?? "";
  return { mail: mail.replaceAll("=\r\n", ""), line: Buffer.from(encoded, "base64").toString().trim() };
}

beforeEach(async () => {
  await sql.$executeRaw`truncate audit_entries, audit_chains`;
  fs.rmSync(outbox, { recursive: true, force: true });
  fs.rmSync(path.join(env().dataDir, "audit-heads.jsonl"), { force: true });
});
// The next file of this process has the same settings.
afterAll(() => void Object.assign(env(), { AUDIT_MAIL_TO: undefined }));

test("the service records heads when it starts and when it stops", async () => {
  await append();
  const recorder = startAuditHeadsRecorder();
  await expect.poll(() => readRecordedHeads(env())?.heads).toMatchObject([{ chain: "system", seq: 1 }]);
  await append();
  await recorder.stop();
  expect(readRecordedHeads(env())?.heads).toMatchObject([{ chain: "system", seq: 2 }]);
});

test("heads are mailed as they were signed, with what was accepted lately", async () => {
  await append();
  await mailAuditHeads();
  expect(fs.existsSync(outbox)).toBe(false);
  Object.assign(env(), { AUDIT_MAIL_TO: "auditor@example.org" });
  expect((await loadSystemHealth([])).audit).toMatchObject({ destination: "mail", lastSentAt: null });
  await acceptAuditLog(new Date().toISOString());
  await mailAuditHeads();
  const { mail, line } = readMail();
  expect(mail).toContain("To: auditor@example.org");
  expect(mail).toContain("A backup was restored.");
  expect(line).toBe(fs.readFileSync(path.join(env().dataDir, "audit-heads.jsonl"), "utf8").trim());
  const { audit } = await loadSystemHealth([]);
  expect(audit).toMatchObject({ status: "ok", lastSentAt: expect.any(Date) });
});

test("a chain that lost its head makes the health of the installation fail, until the operator accepts it", async () => {
  await append();
  await append();
  await recordAuditHeads();
  expect((await loadSystemHealth([])).audit).toMatchObject({ status: "ok", changedChains: 0 });
  await sql.$executeRaw`truncate audit_entries, audit_chains`;
  await append();
  await recordAuditHeads();
  expect((await loadSystemHealth([])).audit).toMatchObject({ status: "failed", changedChains: 1 });
  await acceptAuditLog(new Date().toISOString());
  expect((await loadSystemHealth([])).audit).toMatchObject({ status: "ok", changedChains: 0 });
});
