import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { appendAuditEntry, type AuditEntryInput } from "#lib/audit/audit.ts";
import { verifyAuditChains } from "#lib/audit/verify.ts";
import { prisma, runTransaction, sql } from "#lib/database/client.ts";

const chain = () => randomUUID();

const buildEntry = (organizationId: string): AuditEntryInput => ({
  action: "incident.change",
  organizationId,
  actorId: randomUUID(),
  right: "event:Responder",
  object: { type: "incident", id: randomUUID() },
  data: { fromState: "submitted", toState: "acknowledged" },
  requestId: "a request",
});

const write = (organizationId: string, entries: number) =>
  Promise.all(
    Array.from({ length: entries }, () =>
      runTransaction((tx) => appendAuditEntry(tx, buildEntry(organizationId))),
    ),
  );

/** As somebody with the database's password could: past the trigger that stops slips. */
async function tamper(change: string): Promise<void> {
  await prisma.$executeRawUnsafe("alter table audit_entries disable trigger audit_entries_append_only");
  await prisma.$executeRawUnsafe(change);
  await prisma.$executeRawUnsafe("alter table audit_entries enable trigger audit_entries_append_only");
}

it("numbers the entries of a chain without gaps, however many are written at once", async () => {
  const organization = chain();
  await write(organization, 25);
  const rows = await prisma.auditEntry.findMany({ where: { chain: organization }, orderBy: { seq: "asc" } });
  expect(rows.map(({ seq }) => Number(seq))).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
  expect(await verifyAuditChains(organization)).toEqual([
    { chain: organization, entries: 25, ok: true, brokenAt: null },
  ]);
});

it("keeps no entry of an action that was rolled back", async () => {
  const organization = chain();
  await write(organization, 1);
  const undone = runTransaction(async (tx) => {
    await appendAuditEntry(tx, buildEntry(organization));
    throw new Error("no");
  });
  await expect(undone).rejects.toThrow("no");
  expect(await verifyAuditChains(organization)).toEqual([
    { chain: organization, entries: 1, ok: true, brokenAt: null },
  ]);
});

it("refuses to change or delete an entry", async () => {
  const organization = chain();
  await write(organization, 1);
  await expect(
    sql.$executeRaw`update audit_entries set action = 'x' where chain = ${organization}`,
  ).rejects.toThrow();
  await expect(sql.$executeRaw`delete from audit_entries where chain = ${organization}`).rejects.toThrow();
});

const tamperings: [string, (organization: string) => string, number][] = [
  ["a changed action", (id) => `update audit_entries set action = 'x' where chain = '${id}' and seq = 3`, 3],
  [
    "a changed actor",
    (id) => `update audit_entries set actor_id = null where chain = '${id}' and seq = 2`,
    2,
  ],
  [
    "an endless time",
    (id) => `update audit_entries set at = 'infinity' where chain = '${id}' and seq = 2`,
    2,
  ],
  ["changed data", (id) => `update audit_entries set data = '{}' where chain = '${id}' and seq = 5`, 5],
  ["a removed entry", (id) => `delete from audit_entries where chain = '${id}' and seq = 4`, 5],
  ["a removed last entry", (id) => `delete from audit_entries where chain = '${id}' and seq = 6`, 5],
];

it.each(tamperings)("finds %s", async (_, change, brokenAt) => {
  const organization = chain();
  await write(organization, 6);
  await tamper(change(organization));
  expect(await verifyAuditChains(organization)).toMatchObject([{ chain: organization, ok: false, brokenAt }]);
});

it("finds a chain whose head was removed", async () => {
  const organization = chain();
  await write(organization, 2);
  await tamper(`delete from audit_chains where chain = '${organization}'`);
  expect(await verifyAuditChains(organization)).toMatchObject([{ chain: organization, ok: false }]);
});

it("keeps the chains of organizations apart", async () => {
  const [one, other] = [chain(), chain()];
  await write(one, 3);
  await write(other, 3);
  await tamper(`update audit_entries set action = 'x' where chain = '${one}' and seq = 1`);
  expect(await verifyAuditChains(other)).toEqual([{ chain: other, entries: 3, ok: true, brokenAt: null }]);
});

it("computes the same hash as the database of every text", async () => {
  const organization = chain();
  const text = `"\\/\b\f\n\r\t\u0001\u001f\u007f\u0085\u2028é😀 سلام`;
  const data = { name: text, [text]: [1, 0.1, 1e21, true, null, { b: "2", aa: "1" }], empty: {} };
  await runTransaction((tx) =>
    appendAuditEntry(tx, { ...buildEntry(organization), requestId: text, right: text, data: data as never }),
  );
  await runTransaction((tx) =>
    appendAuditEntry(tx, { ...buildEntry(organization), requestId: "", actorId: null, data: {} }),
  );
  expect(await verifyAuditChains(organization)).toMatchObject([{ entries: 2, ok: true }]);
});

it("finds a changed entry, whatever the database's own functions say of it", async () => {
  const organization = chain();
  await write(organization, 3);
  const [{ source } = { source: "" }] = await sql.$queryRaw<{ source: string }[]>`
    select pg_get_functiondef('hash_audit_entry'::regproc) as source`;
  const lie =
    "SELECT coalesce((SELECT e.hash FROM audit_entries e WHERE e.chain = p_chain AND e.seq = p_seq), p_prev)";
  try {
    await prisma.$executeRawUnsafe(
      source.replace(/AS \$function\$[^]*\$function\$/, `AS $function$${lie}$function$`),
    );
    await tamper(`update audit_entries set action = 'x' where chain = '${organization}' and seq = 2`);
    expect(await verifyAuditChains(organization)).toMatchObject([{ ok: false, brokenAt: 2 }]);
  } finally {
    await prisma.$executeRawUnsafe(source);
  }
});
