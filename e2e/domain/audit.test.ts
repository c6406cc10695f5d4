import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { spawnProjectCommand } from "#e2e/support/command.ts";
import { listAcceptances, acceptAuditLog } from "#lib/audit/acceptances.ts";
import { appendAuditEntries, appendAuditEntry, type AuditEntryInput } from "#lib/audit/audit.ts";
import { computeExitCode, formatVerification } from "#lib/audit/findings.ts";
import { recordAuditHeads } from "#lib/audit/heads.ts";
import { loadAuditKeys, type AuditKey } from "#lib/audit/keys.ts";
import { computeEntryMac } from "#lib/audit/mac.ts";
import { listStoredEntries } from "#lib/audit/verify-queries.ts";
import { verifyAuditLog } from "#lib/audit/verify.ts";
import { prisma, runSqlTransaction, runTransaction } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";

/**
 * The chains of the audit log, and what whoever owns the database does to them on a connection of their own. They have
 * neither the key nor the data folder.
 */

const { DATABASE_URL = "", HEED_DATA_DIR: dataDir = "" } = process.env;
const headsFile = path.join(dataDir, "audit-heads.jsonl");

const owner = new pg.Client({ connectionString: DATABASE_URL });
owner.on("error", () => {});
await owner.connect();
afterAll(async () => {
  Object.assign(env(), { AUDIT_KEYS: undefined });
  await owner.query("alter table audit_entries enable trigger user");
  await owner.end();
});

let chain = "";

beforeEach(async () => {
  await owner.query("truncate audit_entries, audit_chains");
  await owner.query("alter table audit_entries disable trigger user");
  fs.rmSync(headsFile, { force: true });
  Object.assign(env(), { AUDIT_KEYS: undefined });
  chain = randomUUID();
});

const buildEntry = (organizationId: string | null): AuditEntryInput => ({
  action: "incident.change",
  organizationId,
  actorId: randomUUID(),
  right: "event:Responder",
  object: { type: "incident", id: randomUUID() },
  data: { fromState: "submitted", toState: "acknowledged" },
  requestId: "a request",
});

async function write(entries: number, organizationId = chain): Promise<void> {
  for (let count = 0; count < entries; count += 1)
    await runTransaction((tx) => appendAuditEntry(tx, buildEntry(organizationId)));
}

/** As the command does. */
async function verify(...expected: Parameters<typeof verifyAuditLog>[0] & object[]) {
  const results = await verifyAuditLog(expected);
  const kinds = results.flatMap(({ findings }) => findings.map(({ kind }) => kind));
  return {
    code: computeExitCode(kinds),
    output: formatVerification(results, await listAcceptances()).join("\n"),
  };
}

/** Sets the head of the chain to its newest entry, as whoever cut or wrote entries would. */
const fitHead = () =>
  owner.query(`update audit_chains c set seq = e.seq, mac = e.mac from (
    select * from audit_entries where chain = '${chain}' order by seq desc limit 1) e where c.chain = e.chain`);

async function cutTail(after: number): Promise<void> {
  await owner.query(`delete from audit_entries where chain = '${chain}' and seq > ${after}`);
  await fitHead();
}

const verifyCommand = (args: string[], settings = {}) =>
  spawnProjectCommand("audit-verify", args, { DATABASE_URL, HEED_DATA_DIR: dataDir, ...settings });

describe("writing", () => {
  it("numbers the entries of a chain without gaps, however many are written at once", async () => {
    await Promise.all(
      Array.from({ length: 25 }, () => runTransaction((tx) => appendAuditEntry(tx, buildEntry(chain)))),
    );
    const rows = await prisma.auditEntry.findMany({ where: { chain }, orderBy: { seq: "asc" } });
    expect(rows.map(({ seq }) => Number(seq))).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
    expect(await verifyAuditLog()).toMatchObject([{ chain, entries: 25, ok: true, brokenAt: null }]);
  });

  it("keeps no entry of an action that was rolled back", async () => {
    await write(1);
    for (const run of [runTransaction, runSqlTransaction]) {
      const undone = run(async (tx: Parameters<typeof appendAuditEntry>[0]) => {
        await appendAuditEntry(tx, buildEntry(chain));
        throw new Error("no");
      });
      await expect(undone).rejects.toThrow("no");
    }
    expect(await verifyAuditLog()).toMatchObject([{ chain, entries: 1, ok: true }]);
  });

  it("writes the entries of a transaction in the order in which they were appended, right before the commit", async () => {
    await runSqlTransaction(
      async (tx) => {
        await appendAuditEntry(tx, { ...buildEntry(chain), requestId: "first" });
        expect(await tx.$queryRaw`select 1 from audit_entries`).toEqual([]);
      },
      async (tx) => {
        const ids = [randomUUID(), randomUUID()];
        await appendAuditEntries(tx, { ...buildEntry(chain), object: { type: "incident", ids } });
      },
    );
    const rows = await prisma.auditEntry.findMany({ where: { chain }, orderBy: { seq: "asc" } });
    expect(rows.map(({ requestId }) => requestId)).toEqual(["first", "a request", "a request"]);
    expect(await verify()).toMatchObject({ code: 0 });
  });

  it("lets a transaction finish while another one that has appended goes on", async () => {
    await write(1);
    const goOn = Promise.withResolvers<void>();
    const appended = Promise.withResolvers<void>();
    const slow = runTransaction(async (tx) => {
      await appendAuditEntry(tx, buildEntry(chain));
      appended.resolve();
      await goOn.promise;
    });
    await appended.promise;
    await write(1);
    expect(await prisma.auditEntry.count({ where: { chain } })).toBe(2);
    goOn.resolve();
    await slow;
    expect(await prisma.auditEntry.count({ where: { chain } })).toBe(3);
  });

  it("never deadlocks transactions that append to the same chains in different orders", async () => {
    const chains = [chain, randomUUID(), null];
    let attempts = 0;
    const append = (order: (string | null)[]) =>
      runTransaction(async (tx) => {
        attempts += 1;
        for (const one of order) await appendAuditEntry(tx, buildEntry(one));
      });
    await Promise.all(
      Array.from({ length: 40 }, (_, turn) => append(turn % 2 ? chains : chains.toReversed())),
    );
    // A deadlock would have been tried again.
    expect(attempts).toBe(40);
    expect(await verifyAuditLog()).toMatchObject(chains.map(() => ({ entries: 40, ok: true })));
  });

  it("refuses what comes after the end of a transaction, and outside of one", async () => {
    let ended: Parameters<typeof appendAuditEntry>[0] = prisma;
    await runTransaction(async (tx) => {
      await appendAuditEntry(tx, buildEntry(chain));
      ended = tx;
    });
    await expect(appendAuditEntry(ended, buildEntry(chain))).rejects.toThrow("ended");
    await expect(appendAuditEntry(prisma, buildEntry(chain))).rejects.toThrow("ended");
  });

  it("refuses to change or delete an entry", async () => {
    await owner.query("alter table audit_entries enable trigger user");
    await write(1);
    await expect(owner.query("update audit_entries set action = 'x'")).rejects.toThrow("never changed");
    await expect(owner.query("delete from audit_entries")).rejects.toThrow("never changed");
  });

  it("verifies every text as it was written", async () => {
    const text = `"\\/\b\f\n\r\t\u0001\u001f\u007f\u0085\u2028é😀 سلام`;
    const data = { name: text, [text]: [1, 0.1, 1e21, true, null, { b: "2", aa: "1" }], empty: {} };
    const entry = { ...buildEntry(chain), requestId: text, right: text, data: data as never };
    await runTransaction((tx) => appendAuditEntry(tx, entry));
    await runTransaction((tx) => appendAuditEntry(tx, { ...entry, requestId: "", actorId: null, data: {} }));
    expect(await verifyAuditLog()).toMatchObject([{ entries: 2, ok: true }]);
    expect(await prisma.auditEntry.findFirst({ where: { chain }, orderBy: { seq: "asc" } })).toMatchObject({
      data,
    });
  });

  it("has the key in no table", async () => {
    await write(1);
    const key = fs.readFileSync(path.join(dataDir, "secrets/data.key"), "utf8").trim();
    const { rows } = await owner.query("select e::text, c::text as c from audit_entries e, audit_chains c");
    expect(JSON.stringify(rows)).not.toContain(key);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(key, "base64url").toString("hex"));
  });
});

describe("an owner of the database", () => {
  const changes: [string, string, number, number?][] = [
    ["the action", "update audit_entries set action = 'x' where seq = 3", 3],
    ["the actor", "update audit_entries set actor_id = null where seq = 2", 2],
    ["a text for no text", "update audit_entries set request_id = null where seq = 2", 2],
    [
      "a text from one column to the next",
      "update audit_entries set action = 'incident.changei', object_type = 'ncident' where seq = 4",
      4,
    ],
    ["the time", "update audit_entries set at = at + interval '1 millisecond' where seq = 6", 6],
    ["the time to infinity", "update audit_entries set at = 'infinity' where seq = 2", 2],
    [
      "a space in the data",
      "update audit_entries set data = replace(data::text, ':', ': ')::json where seq = 5",
      5,
    ],
    ["what conceals a reporter", "update audit_entries set by_reporter = true where seq = 1", 1],
    [
      "the order",
      "update audit_entries set seq = case seq when 3 then -4 else -3 end where seq in (3, 4)",
      3,
    ],
    ["the chain of an entry", "update audit_entries set chain = 'system', seq = 1 where seq = 6", 6],
    ["an entry in the middle to nothing", "delete from audit_entries where seq = 4", 4, 5],
    ["the last entry to nothing", "delete from audit_entries where seq = 6", 6, 5],
    ["all entries to nothing", "delete from audit_entries", 1, 5],
    ["the head to nothing", "delete from audit_chains", 6],
  ];

  it.each(changes)("can't change %s", async (_, change, brokenAt, code = 4) => {
    await write(6);
    await owner.query(change);
    await owner.query("update audit_entries set seq = -seq where seq < 0");
    const results = await verifyAuditLog();
    expect(results.find(({ ok }) => !ok)).toMatchObject({ brokenAt });
    expect(await verify()).toMatchObject({ code });
  });

  it.each([
    ["under the name of our key", (key: AuditKey) => key.id, 4],
    ["under a name of its own", (_: AuditKey, own: AuditKey) => own.id, 7],
  ])("can't chain entries again with another key %s", async (_, nameOf, code) => {
    await write(6);
    const [ours] = loadAuditKeys(env());
    const [own] = loadAuditKeys({ dataDir: "/nowhere", AUDIT_KEYS: Buffer.alloc(32, 9).toString("base64") });
    if (!ours || !own) throw new Error("no key");
    let previousMac = "";
    for (const row of await listStoredEntries(chain, { after: 0, upTo: 6, limit: 6 })) {
      const keyId = nameOf(ours, own);
      const changed = { ...row, keyId, action: row.seq === 3 ? "incident.create" : row.action };
      if (row.seq >= 3) {
        const mac = computeEntryMac(own, previousMac, changed);
        await owner.query("update audit_entries set action = $1, key_id = $2, mac = $3 where seq = $4", [
          changed.action,
          keyId,
          mac,
          row.seq,
        ]);
        previousMac = mac;
      } else previousMac = row.mac;
    }
    await fitHead();
    expect(await verifyAuditLog()).toMatchObject([{ ok: false, brokenAt: 3 }]);
    expect(await verify()).toMatchObject({ code });
  });

  it("can't deceive a verification by functions and tables that come before ours", async () => {
    await write(3);
    const database = new URL(DATABASE_URL).pathname.slice(1);
    const lie = (name: string, types: string, result: string) =>
      `create function liar.${name}(${types}) returns ${result} language sql as $$ select null::${result} $$`;
    await owner.query(`create schema liar`);
    try {
      for (const table of ["audit_entries", "audit_chains"])
        await owner.query(`create table liar.${table} as select * from public.${table}`);
      await owner.query(`${lie("sha256", "bytea", "bytea")}; ${lie("hmac", "bytea, bytea, text", "bytea")};
        ${lie("encode", "bytea, text", "text")}; ${lie("to_char", "timestamptz, text", "text")}`);
      await owner.query(`alter database "${database}" set search_path = liar, public, pg_catalog`);
      await owner.query("update public.audit_entries set action = 'x' where seq = 2");
      const found = await verifyCommand([]);
      expect([found.code, found.output]).toEqual([4, expect.stringContaining("entry 2 is not as it was")]);
    } finally {
      await owner.query(`alter database "${database}" reset search_path; drop schema liar cascade`);
    }
  });

  it("can't cut the tail of a chain: the data folder has its head, and so do heads that were kept elsewhere", async () => {
    await write(10);
    const { line } = await recordAuditHeads();
    const kept = path.join(dataDir, `kept-${randomUUID()}.jsonl`);
    fs.writeFileSync(kept, `${line}\n`);
    await write(2);
    const quiet = await verifyCommand(["--expect", kept]);
    expect([quiet.code, quiet.output]).toEqual([0, ""]);
    await cutTail(7);
    expect(await verify()).toMatchObject({ code: 5, output: expect.stringContaining("entry 10 is gone") });
    // The service goes on, and records heads: the lost one stays.
    await write(1);
    expect((await recordAuditHeads()).lost).toEqual([chain]);
    expect(await verify()).toMatchObject({ code: 5 });
    fs.rmSync(headsFile);
    expect(await verify()).toMatchObject({ code: 0 });
    const found = await verifyCommand(["--expect", kept]);
    expect([found.code, found.output]).toEqual([5, expect.stringContaining("CUT       ")]);
  });

  it("finds that the heads of the data folder can't be read, and replaces them only where that is accepted", async () => {
    await write(2);
    await recordAuditHeads();
    fs.writeFileSync(headsFile, "{");
    await expect(recordAuditHeads()).rejects.toThrow("audit-heads.jsonl in the data folder can't be read");
    await expect(verify()).rejects.toThrow("can't be read");
    expect(fs.readFileSync(headsFile, "utf8")).toBe("{");
    await acceptAuditLog();
    expect(await verify()).toMatchObject({ code: 0 });
  });

  it("can't drop a whole chain", async () => {
    await write(3);
    await recordAuditHeads();
    await owner.query("delete from audit_entries; delete from audit_chains");
    await recordAuditHeads();
    expect(await verify()).toMatchObject({ code: 5, output: expect.stringContaining("entry 3 is gone") });
  });

  it("can't put back an older copy that the service goes on from, and two versions don't fit together", async () => {
    await write(5);
    await owner.query("create table copy as select * from audit_entries");
    await write(5);
    await recordAuditHeads();
    await owner.query("create table later as select * from audit_entries where seq > 5");
    await cutTail(5);
    await write(7);
    expect(await verify()).toMatchObject({ code: 6, output: expect.stringContaining("FORKED") });
    await owner.query(`delete from audit_entries where seq = 8;
      insert into audit_entries select * from later where seq = 8; drop table copy, later`);
    fs.rmSync(headsFile);
    expect(await verifyAuditLog()).toMatchObject([{ ok: false, brokenAt: 8 }]);
  });
});

describe("what the operator accepts", () => {
  it("a restored backup is on record, with the head that it lost, and all other changes are still found", async () => {
    await write(5);
    const takenAt = new Date().toISOString();
    await write(5);
    const { line } = await recordAuditHeads();
    const { at, heads } = JSON.parse(JSON.parse(line).heads);
    const kept = { source: "a mail", at, heads };
    await cutTail(5);
    expect(await verify(kept)).toMatchObject({ code: 5 });
    await acceptAuditLog(takenAt);
    await write(7);
    expect(await verify(kept)).toMatchObject({
      code: 0,
      output: expect.stringContaining(`from a backup of ${takenAt}`),
    });
    expect(await prisma.auditEntry.findFirst({ where: { action: "audit.restore" } })).toMatchObject({
      chain: "system",
      data: { backupTakenAt: takenAt, lost: [`${chain} 10 ${heads[0].mac}`], lostKeys: [] },
    });
    await recordAuditHeads();
    await cutTail(9);
    expect(await verify(kept)).toMatchObject({ code: 5 });
    // Nobody else can write such an entry.
    await owner.query(`insert into audit_entries
      select chain, seq + 1, now(), actor_id, action, object_type, object_id, event_id, by_right, request_id, data, under_check,
        by_reporter, key_id, mac from audit_entries where action = 'audit.restore'`);
    expect(await listAcceptances()).toHaveLength(1);
  });

  it("entries of a lost key are only noted from then on, and nothing new passes for one", async () => {
    const [old, next] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64"));
    Object.assign(env(), { AUDIT_KEYS: old });
    await write(3);
    Object.assign(env(), { AUDIT_KEYS: `${next},${old}` });
    await write(1);
    expect(await verify()).toMatchObject({ code: 0 });
    Object.assign(env(), { AUDIT_KEYS: next });
    expect(await verify()).toMatchObject({ code: 7 });
    const anchor = await spawnProjectCommand("audit-anchor", [], {
      DATABASE_URL,
      HEED_DATA_DIR: dataDir,
      AUDIT_KEYS: next ?? "",
    });
    expect(anchor, anchor.output).toMatchObject({ code: 0 });
    await write(2);
    const found = await verify();
    expect(found).toMatchObject({ code: 0, output: expect.stringContaining("3 entries of a lost key") });
    await owner.query(`update audit_entries set action = 'x', key_id = (
      select key_id from audit_entries where chain = '${chain}' and seq = 1) where chain = '${chain}' and seq = 5`);
    expect(await verify()).toMatchObject({ code: 7 });
  });
});

describe("the command", () => {
  it("refuses a file without heads and heads of another key, and prints the public key for others", async () => {
    await write(1);
    const { line } = await recordAuditHeads();
    const empty = path.join(dataDir, "empty");
    fs.writeFileSync(empty, "\n");
    const found = await verifyCommand(["--expect", empty]);
    expect([found.code, found.output]).toEqual([1, expect.stringContaining("are no heads, or none at all")]);
    const changed = path.join(dataDir, "changed");
    fs.writeFileSync(changed, line.replace(/"signature":"./, '"signature":"_'));
    expect(await verifyCommand(["--expect", changed])).toMatchObject({ code: 7 });
    const printed = await verifyCommand(["--public-key"]);
    expect(printed.output.split("\n")[0]).toBe(loadAuditKeys(env())[0]?.publicKey);
    expect(printed.output).toContain("-----BEGIN PUBLIC KEY-----");
  });

  it("says how many chains and entries there are", async () => {
    await write(2);
    const found = await verifyCommand(["--verbose"]);
    expect([found.code, found.output]).toEqual([0, `ok        organization ${chain}: 2 entries\n`]);
  });
});
