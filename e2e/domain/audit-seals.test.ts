import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeEach, expect, test } from "vitest";
import { spawnProjectCommand } from "#e2e/support/command.ts";
import { appendAuditEntry } from "#lib/audit/audit.ts";
import { createBrokenChainFinding, computeExitCode, formatInspectionLines } from "#lib/audit/findings.ts";
import { writeSealRestartCheckpoint } from "#lib/audit/seal-restart.ts";
import { inspectAuditSealsAndCheckpoints } from "#lib/audit/inspect.ts";
import { loadDerivedAuditKeys } from "#lib/audit/keys.ts";
import { AuditChainsSealer } from "#lib/audit/sealer.ts";
import { verifyAuditChains } from "#lib/audit/verify.ts";
import { prisma, runTransaction } from "#lib/database/client.ts";
import { env } from "#lib/env.ts";
import { ensureSessionSecret } from "#lib/crypto/secrets.ts";

/**
 * What somebody does to the audit log with the database's own role, on a connection of their own, and what
 * `audit:verify` says to it. Whoever has the role has neither the key nor the data folder.
 */

const dataDir = process.env.HEED_DATA_DIR ?? "";
const settings = { DATABASE_URL: process.env.DATABASE_URL ?? "", HEED_DATA_DIR: dataDir };
const folder = path.join(dataDir, "audit-checkpoints");
const TABLES = ["audit_entries", "audit_chains", "audit_seals", "audit_checkpoints"];

ensureSessionSecret(env());
const insider = new pg.Client({ connectionString: settings.DATABASE_URL });
insider.on("error", () => {});
await insider.connect();
afterAll(() => insider.end());

// What anybody who may write to the tables can write for themselves: the hashes of a chain from an entry on.
await insider.query(`
  create function rehash(p_chain text, p_from bigint) returns void language plpgsql as $$
  declare
    e record;
    v_prev bytea := coalesce((select hash from audit_entries where chain = p_chain and seq = p_from - 1), '');
  begin
    for e in select * from audit_entries where chain = p_chain and seq >= p_from order by seq loop
      update audit_entries set prev_hash = v_prev, hash = hash_audit_entry(v_prev, e.chain, e.seq, e.at, e.actor_id, e.action,
        e.object_type, e.object_id, e.event_id, e.by_right, e.request_id, e.data)
      where chain = p_chain and seq = e.seq returning hash into v_prev;
    end loop;
    update audit_chains set head = v_prev, seq = (select max(seq) from audit_entries where chain = p_chain)
      where chain = p_chain;
  end $$`);

let rounds = new AuditChainsSealer();
let chain = "";

beforeEach(async () => {
  await insider.query(`truncate ${TABLES.join(", ")}; delete from graphile_worker._private_jobs`);
  await insider.query("alter table audit_entries disable trigger user");
  fs.rmSync(folder, { recursive: true, force: true });
  rounds = new AuditChainsSealer();
  chain = randomUUID();
});

async function write(entries: number, organizationId = chain): Promise<void> {
  for (let count = 0; count < entries; count += 1)
    await runTransaction((tx) =>
      appendAuditEntry(tx, {
        action: "incident.change",
        organizationId,
        actorId: randomUUID(),
        right: "event:Responder",
        object: { type: "incident", id: randomUUID() },
      }),
    );
}

/** Ten entries, sealed five by five, with a checkpoint after all of them. */
async function writeSealed(): Promise<void> {
  await write(5);
  await rounds.seal();
  await write(5);
  await rounds.seal({ force: true });
}

type VerifyOptions = { expect?: string; trust?: string };

/** As the command does. */
async function verify({ expect: file, trust }: VerifyOptions = {}, environment = env()) {
  const results = await verifyAuditChains();
  const lines = file ? fs.readFileSync(file, "utf8").trim().split("\n") : [];
  const expected = file ? [{ source: file, lines }] : [];
  const publicKeys = trust ? [trust] : [];
  const inspection = await inspectAuditSealsAndCheckpoints({
    env: environment,
    expected,
    publicKeys,
    results,
  });
  const broken = results.filter(({ ok }) => !ok).map(createBrokenChainFinding);
  const findings = [...broken, ...inspection.findings];
  const output = formatInspectionLines(results, { ...inspection, findings }).join("\n");
  return { code: computeExitCode(findings), output };
}

/** Checkpoints as they left the machine. */
async function exportCheckpoints(): Promise<string> {
  const rows = await insider.query<{ line: string }>("select line from audit_checkpoints order by number");
  const file = path.join(dataDir, `checkpoints-${randomUUID()}.jsonl`);
  fs.writeFileSync(file, rows.rows.map(({ line }) => `${line}\n`).join(""));
  return file;
}

const loseDataFolder = () => fs.rmSync(folder, { recursive: true, force: true });

const rewriteThird = () =>
  insider.query("update audit_entries set actor_id = gen_random_uuid() where chain = $1 and seq = 3", [
    chain,
  ]);

const cutTail = (after: number) =>
  insider.query(`
    delete from audit_entries where chain = '${chain}' and seq > ${after};
    delete from audit_seals where chain = '${chain}' and seq > ${after};
    update audit_chains c set seq = ${after}, head = e.hash from audit_entries e
      where c.chain = '${chain}' and e.chain = c.chain and e.seq = ${after}`);

const verifyCommand = (...args: string[]) => spawnProjectCommand("audit-verify", args, settings);

test("an untouched log is ok to the command, and one that was cut is not", async () => {
  await writeSealed();
  const exportedFile = await exportCheckpoints();
  await write(2);
  const quiet = await verifyCommand("--expect", exportedFile);
  expect([quiet.code, quiet.output]).toEqual([0, ""]);
  const found = await verifyCommand("--expect", exportedFile, "--verbose");
  expect(found, found.output).toMatchObject({ code: 0 });
  expect(found.output).toContain(`ok        organization ${chain}: 12 entries`);
  expect(found.output).toContain(`organization ${chain}: 2 entries are newer than the last seal.`);
  await cutTail(7);
  loseDataFolder();
  const cut = await verifyCommand("--expect", exportedFile);
  expect(cut, cut.output).toMatchObject({ code: 5 });
  expect(cut.output).toContain("CUT       ");
});

test("the key is in no table", async () => {
  await writeSealed();
  const key = fs.readFileSync(path.join(dataDir, "secrets/data.key"), "utf8").trim();
  const dump: string[] = [];
  for (const table of TABLES)
    dump.push(JSON.stringify((await insider.query(`select t::text from ${table} t`)).rows));
  expect(dump.join("")).not.toContain(key);
  expect(dump.join("")).not.toContain(Buffer.from(key, "base64url").toString("hex"));
});

test("a chain that was recomputed after a change is REWRITTEN", async () => {
  await writeSealed();
  await rewriteThird();
  await insider.query("select rehash($1, 3)", [chain]);
  const found = await verify();
  expect(found, found.output).toMatchObject({ code: 4 });
  expect(found.output).toContain(
    `REWRITTEN organization ${chain}: 10 entries, entry 5 or one before it is not what was sealed at`,
  );
});

test("a chain that was recomputed with its seals is FORGED, since the seals can't be recomputed without the key", async () => {
  await writeSealed();
  loseDataFolder();
  await rewriteThird();
  await insider.query("select rehash($1, 3)", [chain]);
  await insider.query(
    "update audit_seals s set hash = e.hash from audit_entries e where e.chain = s.chain and e.seq = s.seq",
  );
  await insider.query("delete from audit_checkpoints");
  const found = await verify();
  expect(found, found.output).toMatchObject({ code: 7 });
  expect(found.output).toContain("the seal of entry 5 was not made with our key");
});

test.each([
  ["the data folder", async () => verify()],
  [
    "the checkpoints exported elsewhere",
    async (exportedFile: string) => {
      loseDataFolder();
      return verify({ expect: exportedFile });
    },
  ],
])("a tail that was cut with its seals and checkpoints is CUT by %s", async (_, check) => {
  await writeSealed();
  const exportedFile = await exportCheckpoints();
  await cutTail(7);
  await insider.query("delete from audit_checkpoints where number > 1");
  const found = await check(exportedFile);
  expect(found, found.output).toMatchObject({ code: 5 });
  expect(found.output).toContain("CUT       ");
  expect(found.output).toMatch(/entry 10, which checkpoint 2 of \S+ holds, is gone; the chain ends at 7/);
});

test("removing entries that were sealed since the last checkpoint is CUT, detected by the data folder alone", async () => {
  await writeSealed();
  await write(3);
  await rounds.seal();
  await cutTail(10);
  const found = await verify();
  expect(found, found.output).toMatchObject({ code: 5 });
  expect(found.output).toContain("entry 13, which checkpoint 2");
});

test("an entry taken out of the middle of a renumbered chain is REWRITTEN, and the chain too short", async () => {
  await writeSealed();
  await insider.query(`delete from audit_entries where chain = '${chain}' and seq = 4`);
  await insider.query(`
    update audit_entries set seq = -seq where chain = '${chain}' and seq > 4;
    update audit_entries set seq = -seq - 1 where chain = '${chain}' and seq < 0`);
  await insider.query("select rehash($1, 4)", [chain]);
  const found = await verify();
  expect(found, found.output).toMatchObject({ code: 4 });
  expect(found.output).toContain("REWRITTEN ");
  expect(found.output).toContain("CUT       ");
  expect(found.output).toContain("the chain ends at 9");
});

test("checkpoints that were signed with another key are FORGED, whatever public key they name", async () => {
  await writeSealed();
  const exportedFile = await exportCheckpoints();
  await rewriteThird();
  await insider.query("select rehash($1, 3)", [chain]);
  await insider.query("delete from audit_seals");
  loseDataFolder();
  const { generateKeyPairSync, sign } = await import("node:crypto");
  const pair = generateKeyPairSync("ed25519");
  const lines = fs
    .readFileSync(exportedFile, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const { checkpoint } of lines) {
    const { number } = JSON.parse(checkpoint);
    const publicKey = pair.publicKey.export({ format: "jwk" }).x;
    const signature = sign(null, Buffer.from(checkpoint), pair.privateKey).toString("base64url");
    await insider.query("update audit_checkpoints set line = $1 where number = $2", [
      JSON.stringify({ checkpoint, publicKey, signature }),
      number,
    ]);
  }
  const found = await verify();
  expect(found, found.output).toMatchObject({ code: 7 });
  expect(found.output).toContain(
    "FORGED    checkpoint 1 of the database was signed with another key than ours",
  );
});

test("a checkpoint whose text was changed is FORGED", async () => {
  await writeSealed();
  await insider.query(
    String.raw`update audit_checkpoints set line = replace(line, '\"seq\":10', '\"seq\":9') where number = 2`,
  );
  const found = await verify();
  expect(found, found.output).toMatchObject({ code: 7 });
});

test("a log that goes on in another way from an older copy is FORKED", async () => {
  await write(5);
  await rounds.seal();
  for (const table of TABLES) await insider.query(`create table copy_${table} as select * from ${table}`);
  await write(5);
  await rounds.seal({ force: true });
  const exportedFile = await exportCheckpoints();
  await insider.query(`truncate ${TABLES.join(", ")}`);
  for (const table of TABLES)
    await insider.query(`insert into ${table} select * from copy_${table}; drop table copy_${table}`);

  // With the data folder nothing of it is sealed.
  await write(6);
  rounds = new AuditChainsSealer();
  await expect(rounds.seal()).rejects.toThrow("checkpoints of the data folder are missing from the database");
  const seals = await insider.query("select max(seq)::int as newest from audit_seals");
  expect(seals.rows).toEqual([{ newest: 5 }]);
  expect((await verify()).output).toMatch(/REWRITTEN .*entry 10 or one before it is not what checkpoint 2/);

  // Without it the service goes on, and what left the machine tells.
  loseDataFolder();
  rounds = new AuditChainsSealer();
  await rounds.seal({ force: true });
  const found = await verify({ expect: exportedFile });
  expect(found, found.output).toMatchObject({ code: 6 });
  expect(found.output).toMatch(/FORKED {4}there are two checkpoints with the number 2/);
  expect(found.output).toMatch(new RegExp(`FORKED {4}organization ${chain}: 11 entries`));
});

test("seals and checkpoints that were all deleted are MISSING", async () => {
  await writeSealed();
  await insider.query("truncate audit_seals, audit_checkpoints");
  const found = await verify();
  expect(found, found.output).toMatchObject({ code: 8 });
  expect(found.output).toContain(
    "the seal of entry 10, which was there for checkpoint 2, is gone; there is none",
  );
  expect(found.output).toMatch(/MISSING {3}checkpoint 1, signed at \S+, is not in the database/);
  rounds = new AuditChainsSealer();
  await expect(rounds.seal()).rejects.toThrow("missing from the database");
});

test("entries without a seal are UNSEALED after a minute, also where nothing shows that there ever was one", async () => {
  await writeSealed();
  await insider.query("update audit_entries set at = at - interval '3 minutes'");
  await insider.query("select rehash($1, 1)", [chain]);
  await insider.query("truncate audit_seals, audit_checkpoints");
  loseDataFolder();
  const found = await verify();
  expect(found, found.output).toMatchObject({ code: 9 });
  expect(found.output).toContain("10 entries are from number 1 on not sealed, the oldest for 3 minutes");
});

test.each(["anonymous", "mailbox"])(
  "an entry that nobody made by name (%s) has its quarter of an hour, and isn't late because of it",
  async (right) => {
    await runTransaction((tx) =>
      appendAuditEntry(tx, {
        action: "incident.create",
        organizationId: chain,
        actorId: null,
        right,
        object: { type: "incident", id: randomUUID() },
      }),
    );
    const { rows } = await insider.query<{ at: Date }>("select at from audit_entries where chain = $1", [
      chain,
    ]);
    expect(rows.map(({ at }) => at.getTime() % (15 * 60_000))).toEqual([0]);
    // As it would be near the end of a quarter.
    await insider.query("update audit_entries set at = now() - interval '15 minutes' where chain = $1", [
      chain,
    ]);
    await insider.query("select rehash($1, 1)", [chain]);
    expect(await verify()).toMatchObject({ code: 0 });
    await rounds.seal();
    const { code, output } = await verify();
    expect([code, output]).toEqual([0, expect.not.stringContaining("minutes after they were written")]);
  },
);

test("a chain that doesn't fit its last seal is no longer sealed, while the others are", async () => {
  await writeSealed();
  await rewriteThird();
  await insider.query("select rehash($1, 3)", [chain]);
  const other = randomUUID();
  await write(1);
  await write(1, other);
  await rounds.seal({ force: true });
  const { rows } = await insider.query("select chain, max(seq)::int as seq from audit_seals group by chain");
  expect(new Map(rows.map((row) => [row.chain, row.seq]))).toEqual(
    new Map([
      [chain, 10],
      [other, 1],
    ]),
  );
  const newest = await insider.query<{ line: string }>(
    "select line from audit_checkpoints order by number desc limit 1",
  );
  const { refused, heads, chains } = JSON.parse(JSON.parse(newest.rows[0]?.line ?? "{}").checkpoint);
  expect({ refused, heads, chains }).toEqual({
    refused: [chain],
    heads: [{ chain: other, seq: 1, hash: expect.any(String) }],
    chains: 2,
  });
});

test("a checkpoint comes each thousand entries of a chain", async () => {
  await write(1);
  await rounds.seal();
  const counts = async () =>
    (await insider.query("select count(*)::int as n from audit_checkpoints")).rows[0]?.n as number;
  const plant = (entries: number) =>
    insider.query(
      `select append_audit_entry($1, null, 'incident.change', 'incident', null, null, 'self', null, '{}')
       from generate_series(1, ${entries})`,
      [chain],
    );
  await plant(998);
  await rounds.seal();
  expect(await counts()).toBe(1);
  await plant(2);
  await rounds.seal();
  expect(await counts()).toBe(2);
});

test("a restored backup is reported as such, and all other changes are still found", async () => {
  await write(5);
  await rounds.seal();
  const takenAt = new Date().toISOString();
  await insider.query("select pg_sleep(0.05)");
  await write(5);
  await rounds.seal({ force: true });
  const exportedFile = await exportCheckpoints();
  // What a restore leaves: the tables as they were, and its record.
  await cutTail(5);
  await insider.query("delete from audit_checkpoints where number > 1");
  await writeSealRestartCheckpoint(env(), { kind: "restore", backupTakenAt: takenAt });
  const before = await verify({ expect: exportedFile });
  expect(before, before.output).toMatchObject({ code: 0 });

  rounds = new AuditChainsSealer();
  await rounds.seal();
  await write(7);
  await rounds.seal({ force: true });
  const after = await verify({ expect: exportedFile });
  expect(after, after.output).toMatchObject({ code: 0 });
  expect(after.output).toContain(`from a backup of ${takenAt}`);
  expect(await prisma.auditEntry.count({ where: { action: "audit.restore" } })).toBe(1);

  await cutTail(9);
  const cut = await verify({ expect: exportedFile });
  expect(cut, cut.output).toMatchObject({ code: 5 });
  expect(cut.output).toContain("entry 12, which checkpoint 3");
});

test("a log whose key was lost is sealed again from an anchor on, and not before", async () => {
  await writeSealed();
  const key = path.join(dataDir, "secrets/data.key");
  const former = fs.readFileSync(key, "utf8");
  const formerKey = loadDerivedAuditKeys(env())[0]?.publicKey;
  try {
    fs.writeFileSync(key, `${"k".repeat(43)}\n`);
    await write(1);
    rounds = new AuditChainsSealer();
    await expect(rounds.seal()).rejects.toThrow("not signed by a key of ours");
    expect(await verify()).toMatchObject({ code: 7 });
    const anchor = await spawnProjectCommand("audit-anchor", [], settings);
    expect(anchor, anchor.output).toMatchObject({ code: 0 });
    rounds = new AuditChainsSealer();
    await rounds.seal();
    await write(2);
    await rounds.seal();
    const found = await verify();
    expect(found.output).toContain(`ok        organization ${chain}: 13 entries`);
    expect(found.output).toContain("2 older seals can't be verified");
    expect(await prisma.auditEntry.count({ where: { action: "audit.anchor" } })).toBe(1);
    // Checkpoints of the former key verify where that is trusted.
    expect(found).toMatchObject({ code: 7 });
    expect(await verify({ trust: formerKey })).toMatchObject({ code: 0 });
  } finally {
    fs.writeFileSync(key, former);
  }
});

test("a key of AUDIT_KEYS takes over from the one before without a finding", async () => {
  await writeSealed();
  const next = { ...env(), AUDIT_KEYS: Buffer.alloc(32, 7).toString("base64") };
  const found = await verify({}, next);
  expect(found, found.output).toMatchObject({ code: 0 });
  expect(loadDerivedAuditKeys(next)[1]?.publicKey).toBe(loadDerivedAuditKeys(env())[0]?.publicKey);
});

test("of several processes one seals at a time, and each entry once", async () => {
  await write(4);
  const [one, other] = [new AuditChainsSealer(), new AuditChainsSealer()];
  await Promise.all([one.seal(), other.seal(), rounds.seal()]);
  await write(4);
  await Promise.all([one.seal(), other.seal(), rounds.seal()]);
  await rounds.seal();
  const found = await verify();
  expect(found, found.output).toMatchObject({ code: 0 });
});

test("a file that is no checkpoint is refused, and the public key is printed for others", async () => {
  await writeSealed();
  const empty = path.join(dataDir, "empty");
  fs.writeFileSync(empty, "\n");
  const found = await verifyCommand("--expect", empty);
  expect([found.code, found.output]).toEqual([1, `${empty} holds no checkpoint.\n`]);
  const printed = await verifyCommand("--public-key");
  expect(printed.output.split("\n")[0]).toBe(loadDerivedAuditKeys(env())[0]?.publicKey);
  expect(printed.output).toContain("-----BEGIN PUBLIC KEY-----");
});
