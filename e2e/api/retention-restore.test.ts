import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { spawnProjectCommand } from "#e2e/support/command.ts";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import { startProcess } from "#e2e/support/process.ts";
import { startService } from "#e2e/support/service.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, TestWorld } from "#e2e/support/world.ts";
import { disconnectDatabase } from "#lib/database/client.ts";
import { listErasureFileLinesLostInRestore } from "#lib/erasures/ledger.ts";

/**
 * A restored backup is cleared of what was erased since before it serves. Whatever else is due by now waits for a notice
 * (decision 061).
 */

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-test-erased-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, "whole.zip");

const heed = await startService();
const here = {
  DATABASE_URL: process.env.DATABASE_URL ?? "",
  HEED_DATA_DIR: heed.process.dataDir,
  BACKUP_PASSPHRASE: "four herons by the weir",
};
const world = await TestWorld.build(heed);
const { event, maya, omar, organization, rita, sam } = world;

async function finishedReport(title: string, state = "resolved"): Promise<string> {
  const photo = { name: "photo.jpg", bytes: await createPhoto(), type: "image/jpeg" };
  const form = buildForm({ title, description: "It went on for a while." }, photo);
  const { incident } = (await world.as(maya).post(`/api/events/${event.id}/incidents`, form)).body;
  await world.move(incident, state);
  await heed.sql(
    `update incidents set created_at = created_at - interval '300 days', first_response_at = first_response_at - interval '300 days',
       resolved_at = resolved_at - interval '300 days' where id = $1`,
    [incident.id],
  );
  for (const table of ["team_notes", "incident_history"])
    await heed.sql(`delete from ${table} where incident_id = $1`, [incident.id]);
  await heed.sql(
    `insert into retention_notices (incident_id, due_on, days_ahead, given_at)
     values ($1, current_date - 1, 7, now() - interval '8 days')`,
    [incident.id],
  );
  return incident.id;
}

const setRules = (months: string) =>
  heed.sql(
    `insert into retention_rules (organization_id, resolved_months, closed_months, changed_at) values ($1, ${months}, now() - interval '90 days')
     on conflict (organization_id) do update set (resolved_months, closed_months, changed_at) = (${months}, now() - interval '90 days')`,
    [organization.id],
  );

async function applyRetention(): Promise<void> {
  await heed.sql("select graphile_worker.add_job('applyRetention', job_key => 'now')");
  await waitUntil(
    "the job has run",
    async () => (await heed.sql("select 1 from graphile_worker.jobs where key = 'now'")).length === 0,
  );
}

const there = async (table: string, ids: string[]) =>
  (await heed.sql<{ id: string }>(`select id from ${table} where id = any($1) order by id`, [ids])).map(
    ({ id }) => id,
  );

test("records erased after the backup are erased again before the service serves; other due reports wait for a notice", async () => {
  const erased = await finishedReport("Deleted after the backup was taken");
  const due = await finishedReport("Due by the time of the restore", "closed");
  const remaining = await finishedReport("No rule of the backup names it");
  const left = await world.person("Lena Left", { events: [[event, "Reporter"]] });
  const gone = await world.newOrganization("Gone organization");
  const goneEvent = await world.newEvent(gone);
  // Not due yet when the backup is taken: closed reports go after twenty years.
  await setRules("null, 240");
  const taken = await spawnProjectCommand("backup", ["--to", file], here);
  expect(taken, taken.output).toMatchObject({ code: 0 });

  await heed.sql("update incidents set severity = 'low' where id = $1", [remaining]);
  await setRules("1, null");
  await heed.sql("update incidents set resolved_at = now() where id = $1", [remaining]);
  await applyRetention();
  expect(await there("incidents", [erased, due, remaining])).toEqual([due, remaining].toSorted());
  const account = { currentPassword: PASSWORD };
  expect((await world.as(left).delete("/api/users/me", account)).status).toBeLessThan(300);
  expect((await world.as(sam).delete(`/api/organizations/${gone.id}`)).status).toBeLessThan(300);
  // Hidden in the last hour, before the file is written again.
  const hidden = { incident_id: remaining, user_id: omar.id };
  const reader = `/api/events/${event.id}/incidents/${remaining}/readers/${omar.id}`;
  expect((await world.as(maya).put(reader, { access: "none" })).status).toBe(200);
  expect(await heed.process.stop()).toBe(0);

  // This process has connections of its own, which a restore takes for a service.
  await disconnectDatabase();
  const restored = await spawnProjectCommand("restore", ["--from", file, "--replace"], here);
  expect(restored, restored.output).toMatchObject({ code: 0 });
  const list = fs.readFileSync(path.join(here.HEED_DATA_DIR, "erasures.log"), "utf8");
  // Three deletions, somebody from whom a report is hidden, and the incident with it.
  expect(list.match(/^[\w-]{43}$/gm)).toHaveLength(5);
  for (const id of [erased, left.id, gone.id]) expect(list).not.toContain(id);
  expect(await there("incidents", [erased, due, remaining])).toHaveLength(3);
  expect(await there("users", [left.id])).toHaveLength(1);
  // As if years had passed.
  await heed.sql("update retention_rules set closed_months = 6 where organization_id = $1", [
    organization.id,
  ]);
  const second = await startProcess({ ...here, PASSWORD_COST: "4" });
  try {
    expect(await there("incidents", [erased, due, remaining])).toEqual([due, remaining].toSorted());
    await applyRetention();
    expect(await there("incidents", [due])).toEqual([due]);
    expect(await heed.sql("select incident_id as id, days_ahead from retention_notices")).toEqual([
      { id: due, days_ahead: 7 },
    ]);
    expect(await there("users", [left.id, omar.id, rita.id])).toEqual([omar.id, rita.id].toSorted());
    expect(await there("organizations", [gone.id, organization.id])).toEqual([organization.id]);
    expect(await there("events", [goneEvent.id])).toEqual([]);
    expect(await heed.sql("select incident_id, user_id from incident_readers where access = 'none'")).toEqual(
      [hidden],
    );
    expect(await heed.sql("select count(*)::int as n from report_tombstones")).toEqual([{ n: 1 }]);
    const stored = await heed.sql<{ key: string }>("select storage_key as key from related_files");
    expect(stored).toHaveLength(2);
    await waitUntil("the files are gone", () => {
      const root = path.join(here.HEED_DATA_DIR, "files");
      const names = fs.readdirSync(root, { recursive: true, withFileTypes: true });
      return names.filter((one) => one.isFile()).length === 4;
    });
    const entries = await heed.sql(
      `select action, data->'again' as again from audit_entries where by_right = 'service'
         and object_id = any($1) order by action`,
      [[erased, due, left.id, gone.id]],
    );
    expect(entries.map(({ action }) => action)).toEqual([
      "account.delete",
      "incident.expire",
      "organization.delete",
    ]);
  } finally {
    expect(await second.stop()).toBe(0);
  }
  const audit = await spawnProjectCommand("audit-verify", [], here);
  expect(audit, audit.output).toMatchObject({ code: 0 });
  // The next start would find nothing to erase again.
  expect(await listErasureFileLinesLostInRestore()).toEqual(new Set());
  await disconnectDatabase();
});
