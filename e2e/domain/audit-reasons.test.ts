import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { verifyAudit } from "#lib/audit/verify.ts";
import { MIGRATIONS_FOLDER } from "#lib/run/migrate.ts";

/** The migration that moves reasons out of the audit log, run on entries as the version before wrote them. */

const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
afterAll(() => client.end());

const rows = async (sql: string, values: unknown[] = []) => (await client.query(sql, values)).rows;
const ids = { admin: randomUUID(), file: randomUUID(), gone: randomUUID() };

async function migrateReasons(): Promise<void> {
  const name = fs.readdirSync(MIGRATIONS_FOLDER).find((one) => one.endsWith("_reasons_in_access_log")) ?? "";
  const sql = fs.readFileSync(path.join(MIGRATIONS_FOLDER, name, "migration.sql"), "utf8");
  await client.query(`begin; alter table incident_access drop column reason; ${sql}; commit`);
}

const append = (chain: string, action: string, object: string | null, event: string | null, data: object) =>
  rows("select audit_append($1, $2, $3, 'file', $4, $5, 'event:Admin', 'r', $6)", [
    chain,
    ids.admin,
    action,
    object,
    event,
    data,
  ]);

const original = (chain: string, incident: string, event: string, reason: string) =>
  append(chain, "file.original", ids.file, event, { incidentId: incident, reason });

const openedInAccessLog = (incident: string, event: string) =>
  rows(
    "insert into incident_access (incident_id, event_id, actor_id, kind, object_id, by_right) values ($1, $2, $3, 'original', $4, 'event:Admin')",
    [incident, event, ids.admin, ids.file],
  );

test("reasons move to the access log; whole chains stay whole, and a broken one stays broken where it was", async () => {
  const [organization] = await rows(
    "insert into organizations (name, slug) values ('R', 'reasons') returning id",
  );
  const [event] = await rows(
    "insert into events (organization_id, name, slug) values ($1, 'E', 'reasons-e') returning id",
    [organization.id],
  );
  const [incident] = await rows(
    "insert into incidents (event_id, title, description) values ($1, 'A title of a report', 'x') returning id",
    [event.id],
  );
  const chain = organization.id;
  await append(chain, "file.add", ids.file, event.id, { incidentId: incident.id });
  await original(chain, incident.id, event.id, "zqreason one");
  await openedInAccessLog(incident.id, event.id);
  await append(chain, "file.download", ids.file, event.id, { incidentId: incident.id });
  await original(chain, incident.id, event.id, "zqreason two");

  // An organization that was deleted: its chain stays, and the system's holds its last hash.
  const deleted = randomUUID();
  await original(deleted, randomUUID(), randomUUID(), "zqreason three");
  const [head] = await rows(
    "select seq::int, encode(head, 'hex') as hash from audit_chains where chain = $1",
    [deleted],
  );
  await rows(
    "select audit_append('system', null, 'organization.delete', 'organization', $1, null, 'SystemAdmin', null, $2)",
    [deleted, { organizationId: deleted, chainSeq: head.seq, chainHead: head.hash }],
  );
  await append("system", "account.signIn", null, null, {});

  const broken = randomUUID();
  for (const reason of ["zqreason four", "zqreason five", "zqreason six"])
    await original(broken, randomUUID(), randomUUID(), reason);
  await client.query("alter table audit_entries disable trigger audit_entries_no_update");
  await rows("update audit_entries set actor_id = null where chain = $1 and seq = 2", [broken]);
  await client.query("alter table audit_entries enable trigger audit_entries_no_update");
  const before = await verifyAudit();

  await migrateReasons();

  const [{ text }] = await rows("select string_agg(e::text, ' ') as text from audit_entries e");
  expect(text).not.toContain("zqreason");
  const after = await verifyAudit();
  const verdicts = (reports: typeof after) =>
    reports.map(({ chain: name, ok, brokenAt }) => [name, ok, brokenAt]);
  expect(verdicts(after)).toEqual(verdicts(before));
  expect(after.filter(({ ok }) => !ok)).toMatchObject([{ chain: broken, brokenAt: 2 }]);
  expect(
    await rows(
      "select reason, kind, actor_id, object_id, by_right from incident_access where incident_id = $1 order by at",
      [incident.id],
    ),
  ).toEqual(
    ["zqreason one", "zqreason two"].map((reason) => ({
      reason,
      kind: "original",
      actor_id: ids.admin,
      object_id: ids.file,
      by_right: "event:Admin",
    })),
  );
  const redacted = await rows(
    "select chain, object_id, data->'reasons' as reasons, data->'firstSeq' as first from audit_entries where action = 'audit.redact' order by chain",
  );
  expect(redacted).toEqual(
    expect.arrayContaining([
      { chain, object_id: chain, reasons: 2, first: 2 },
      { chain: "system", object_id: deleted, reasons: 1, first: 1 },
      { chain: "system", object_id: broken, reasons: 3, first: 1 },
    ]),
  );
});
