import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { loadSystemHealth } from "#lib/admin/health.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { readCheckpointLines } from "#lib/audit/checkpoint-files.ts";
import { AuditChainsSealer } from "#lib/audit/sealer.ts";
import { CheckpointDeliveryError, mailCheckpoint, postCheckpoint } from "#lib/audit/sending.ts";
import { runTransaction, sql } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { ensureSessionSecret } from "#lib/crypto/secrets.ts";

/** Where signed checkpoints of the audit log are sent. */

ensureSessionSecret(env());
const received: { authorization: string | undefined; body: string }[] = [];
let status = 200;
const server = http.createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
  request.on("end", () => {
    received.push({ authorization: request.headers.authorization, body });
    response.writeHead(status).end("taken, or not");
  });
});
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.close();
  // The next file of this process has the same settings.
  env().AUDIT_CHECKPOINT_URL = undefined;
});

const rounds = new AuditChainsSealer();
const sendTo = (url: string) => Object.assign(env(), { AUDIT_CHECKPOINT_URL: url });
const receiver = (credentials = "heed:s%2Fcret") =>
  `http://${credentials}@127.0.0.1:${(server.address() as AddressInfo).port}/`;

/** Appends an audit entry and seals the chains. @returns the new checkpoint */
async function createCheckpoint(): Promise<{ number: number; line: string; sentAt: Date | null }> {
  await runTransaction((tx) =>
    appendAuditEntry(tx, {
      action: "mail.test",
      actorId: null,
      right: "service",
      object: { type: "mail", id: null },
    }),
  );
  await rounds.seal({ force: true });
  return newest();
}

async function newest() {
  const rows = await sql.$queryRaw<{ number: bigint; line: string; sentAt: Date | null }[]>`
    select number, line, sent_at as "sentAt" from audit_checkpoints order by number desc limit 1`;
  const [row] = rows;
  return { number: Number(row?.number), line: row?.line ?? "", sentAt: row?.sentAt ?? null };
}

const queued = () =>
  sql.$queryRaw<{ task: string; payload: unknown }[]>`
    select t.identifier as task, j.payload from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id order by j.id`;

beforeEach(async () => {
  received.length = 0;
  status = 200;
  await sql.$executeRaw`delete from graphile_worker._private_jobs`;
});

test("a checkpoint is queued once, and posted as it was signed", async () => {
  sendTo(receiver());
  const { number, line } = await createCheckpoint();
  expect(await queued()).toEqual([{ task: "postAuditCheckpoint", payload: { number } }]);
  await postCheckpoint(number);
  await postCheckpoint(number);
  const authorization = `Basic ${Buffer.from("heed:s/cret").toString("base64")}`;
  expect(received).toEqual([{ authorization, body: `${line}\n` }]);
  expect((await newest()).sentAt).not.toBeNull();
});

test("a checkpoint carries a password that stands in the address without a name", async () => {
  sendTo(receiver(":s%2Fcret"));
  received.length = 0;
  await postCheckpoint((await createCheckpoint()).number);
  const authorization = `Basic ${Buffer.from(":s/cret").toString("base64")}`;
  expect(received).toEqual([{ authorization, body: expect.any(String) }]);
});

test("a checkpoint that the receiver refuses is not sent, and is tried again", async () => {
  sendTo(receiver());
  const { number } = await createCheckpoint();
  status = 500;
  await expect(postCheckpoint(number)).rejects.toThrow(CheckpointDeliveryError);
  expect((await newest()).sentAt).toBeNull();
  await sql.$executeRaw`update graphile_worker._private_jobs set created_at = now() - interval '2 hours'`;
  const { audit: health } = await loadSystemHealth([]);
  expect(health).toMatchObject({ status: "failed", destination: "web", unsent: 1, unsealedChains: 0 });
});

test("a checkpoint that a clock ahead of time signed doesn't delay the next one", async () => {
  const { number } = await createCheckpoint();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 24 * 3_600_000 });
  await rounds.seal();
  vi.useRealTimers();
  const early = await newest();
  await rounds.seal();
  const next = await newest();
  // After a restart, the daily file of the later day is the newest one that it finds.
  await new AuditChainsSealer().seal({ force: true });
  const last = await newest();
  expect([early, next, last].map((one) => one.number - number)).toEqual([1, 2, 3]);
  expect(readCheckpointLines(env()).slice(-3)).toEqual([early, next, last].map(({ line }) => line));
  // The next one that follows a clock ahead of time comes an hour later.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 2 * 3_600_000 });
  await rounds.seal();
  vi.useRealTimers();
  expect((await newest()).number).toBe(last.number);
  const { audit: health } = await loadSystemHealth([]);
  expect(Number(health.lastCheckpointAt)).toBeLessThanOrEqual(Date.now());
});

test("a checkpoint is mailed with its line attached", async () => {
  sendTo("mailto:auditor@example.org");
  const { number, line } = await createCheckpoint();
  expect(await queued()).toEqual([{ task: "mail.auditCheckpoint", payload: { number } }]);
  await mailCheckpoint(number);
  const outbox = path.join(env().dataDir, "outbox");
  const [name = ""] = fs.readdirSync(outbox);
  const mail = fs.readFileSync(path.join(outbox, name), "utf8");
  expect(mail).toContain("To: auditor@example.org");
  expect(mail).toContain(`Subject: Audit checkpoint ${number}`);
  expect(mail).toContain(`filename=heed-audit-checkpoint-${number}.jsonl`);
  const [, attachment = ""] = mail.split(`filename=heed-audit-checkpoint-${number}.jsonl`);
  const encoded = /\r\n\r\n([A-Za-z0-9+/=\r\n]+)/.exec(attachment)?.[1] ?? "";
  expect(Buffer.from(encoded, "base64").toString()).toBe(`${line}\n`);
  expect((await newest()).sentAt).not.toBeNull();
});

test("a chain that can't be sealed makes the health of the installation fail", async () => {
  await createCheckpoint();
  expect((await loadSystemHealth([])).audit).toMatchObject({ unsealedChains: 0 });
  await sql.$executeRaw`
    insert into audit_seals select chain, seq + 50, hash, prev_mac, mac, key_id, sealed_at from audit_seals limit 1`;
  expect((await loadSystemHealth([])).audit).toMatchObject({
    status: "failed",
    unsealedChains: 1,
  });
});
