import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { buildForm, createPhoto } from "#e2e/support/evidence.ts";
import { readMails } from "#e2e/support/outbox.ts";
import { runWhileLocked, waitForBlockedStatements } from "#e2e/support/row-lock.ts";
import { shareService } from "#e2e/support/service.ts";
import { expectRefusal } from "#e2e/support/concurrent-requests.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld, type EventRef, type PlaceRef, type TestPerson } from "#e2e/support/world.ts";
import { deleteDueIncidents } from "#lib/retention/deletion.ts";

/** When finished reports are deleted, holds, and what is left of a deleted report (contract 17). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, olga, omar, organization, rita } = world;

const at = (incidentId: string, rest = "", of: EventRef = event) =>
  `/api/events/${of.id}/incidents/${incidentId}${rest}`;
const rulesPath = (of: PlaceRef = organization) => `/api/organizations/${of.id}/retention`;
const REVIEW_ON = "2090-01-31";
const NO_DATE = { deleteOn: null, rule: null, months: null, delayedBy: null, onHold: false, hold: null };

async function finishedReport(of: EventRef = event, state = "resolved", by = maya): Promise<string> {
  const filed = await world.report(by, of);
  const end = { state, notes: "Talked to both." };
  expect((await world.as(world.sam).patch(at(filed.id, "/state", of), end)).status).toBe(200);
  return filed.id;
}

/** Moves a report, its messages, notes and history and the rules back in time, and has its team notified a week ago. */
async function age(incidentId: string, days: number, of: PlaceRef = organization): Promise<void> {
  const by = `interval '${days} days'`;
  await heed.sql(
    `update messages set created_at = created_at - ${by}, updated_at = updated_at - ${by} where conversation_id = $1`,
    [incidentId],
  );
  for (const table of ["team_notes", "incident_history"])
    await heed.sql(`update ${table} set created_at = created_at - ${by} where incident_id = $1`, [
      incidentId,
    ]);
  await heed.sql(
    `insert into retention_notices (incident_id, due_on, days_ahead, given_at)
     values ($1, current_date - 1, 7, now() - interval '8 days')`,
    [incidentId],
  );
  await heed.sql(
    `update incidents set created_at = created_at - ${by}, first_response_at = first_response_at - ${by},
       resolved_at = resolved_at - ${by}, last_message_at = last_message_at - ${by} where id = $1`,
    [incidentId],
  );
  await heed.sql(
    "update retention_rules set changed_at = now() - interval '100 days' where organization_id = $1",
    [of.id],
  );
}

const retentionOf = async (by: TestPerson, incidentId: string) =>
  (await world.as(by).get(at(incidentId, "/retention"))).body.retention;

describe("the rules of an organization", () => {
  test("are unset until an admin sets them; the audit log has the numbers", async () => {
    const own = await world.newOrganization();
    const oscar = await world.person("Oscar Admin", { organization: [own, "org_admin"] });
    const vera = await world.person("Vera Viewer", { organization: [own, "org_viewer"] });
    const off = { resolvedMonths: null, closedMonths: null, withoutNameMonths: null, changedAt: null };
    const schedule = { months: [], undated: 0, held: 0, deleted: 0 };
    expect((await world.as(vera).get(rulesPath(own))).body).toEqual({ rules: off, schedule });
    const saved = await world.as(oscar).put(rulesPath(own), { resolvedMonths: 24, withoutNameMonths: 6 });
    expect([saved.status, saved.body]).toEqual([
      200,
      {
        rules: { ...off, resolvedMonths: 24, withoutNameMonths: 6, changedAt: expect.any(String) },
        schedule,
      },
    ]);
    const again = await world.as(oscar).put(rulesPath(own), { resolvedMonths: 24 });
    expect(again.body.rules).toEqual(saved.body.rules);
    const changed = await world.as(oscar).put(rulesPath(own), { resolvedMonths: null, closedMonths: 6 });
    expect(changed.body.rules).toMatchObject({ resolvedMonths: null, closedMonths: 6, withoutNameMonths: 6 });
    expect(changed.body.rules.changedAt > saved.body.rules.changedAt).toBe(true);
    const [entry] = (await world.as(oscar).get(`/api/organizations/${own.id}/audit?action=organization.`))
      .body.entries;
    expect(entry).toMatchObject({
      action: "organization.changeRetention",
      data: { resolvedMonths: null, closedMonths: 6, withoutNameMonths: 6 },
    });
  });

  test.each([{ resolvedMonths: 0 }, { closedMonths: 241 }])("refuse %j", async (body) => {
    expectRefusal(await world.as(olga).put(rulesPath(), body), "400 VALIDATION_ERROR");
  });

  test("can be previewed without saving, as numbers without titles", async () => {
    const own = await world.newOrganization();
    const place = await world.newEvent(own);
    const oscar = await world.person("Oscar Again", { organization: [own, "org_admin"] });
    const erik = await world.person("Erik", { events: [[place, "Admin"]] });
    await finishedReport(place, "closed", erik);
    await world.report(erik, place);
    const { body, text } = await world.as(oscar).get(`${rulesPath(own)}?closedMonths=1&resolvedMonths=`);
    expect(body.rules.closedMonths).toBeNull();
    expect(body.schedule).toMatchObject({
      months: [{ reports: 1, events: [{ id: place.id, slug: place.slug, reports: 1 }] }],
      undated: 0,
    });
    expect(text).not.toContain("Shouting");
    expect((await world.as(oscar).get(rulesPath(own))).body.schedule).toMatchObject({
      months: [],
      undated: 1,
    });
    expect((await world.as(oscar).get(`${rulesPath(own)}?closedMonths=0`)).status).toBe(400);
  });
});

describe("the date of a report", () => {
  test("is set when it is finished, states the cause, and is cleared when it is reopened", async () => {
    await world.as(olga).put(rulesPath(), { resolvedMonths: 24, closedMonths: 6 });
    const id = await finishedReport(event, "closed");
    expect(await retentionOf(omar, id)).toEqual({
      ...NO_DATE,
      deleteOn: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      rule: "closed",
      months: 6,
    });
    expect(await retentionOf(maya, id)).toMatchObject({ rule: "closed", months: 6, hold: null });
    expect((await world.as(rita).get(at(id, "/retention"))).status).toBe(404);
    await world.as(omar).patch(at(id, "/reopen"), { notes: "Something new." });
    expect(await retentionOf(omar, id)).toEqual(NO_DATE);
  });

  test("is in the mailbox of a report without an account", async () => {
    await world.as(olga).put(rulesPath(), { closedMonths: 12, withoutNameMonths: 3 });
    const client = heed.visitor();
    const title = `Shouted at ${generateUniqueWord()}`;
    await client.post(
      `/api/events/slug/${event.slug}/anonymous-reports`,
      { title, description: "An hour ago.", openMailbox: true },
      { opensMailbox: true },
    );
    const [{ id } = { id: "" }] = await heed.sql<{ id: string }>(
      "select id from incidents where title = $1",
      [title],
    );
    const filed = (await world.as(omar).get(at(id))).body.incident;
    await world.move(filed, "closed");
    const { retention } = (await client.get("/api/mailbox")).body.mailbox;
    expect(retention).toMatchObject({ rule: "withoutName", months: 3, onHold: false });
    expect(retention.hold).toBeUndefined();
    await world.as(omar).put(at(id, "/hold"), { reason: "Marker-why", reviewOn: REVIEW_ON });
    const held = (await client.get("/api/mailbox")).body.mailbox.retention;
    expect(held).toMatchObject({ deleteOn: null, onHold: true });
    expect(JSON.stringify(held)).not.toMatch(/Marker|Omar/);
  });
});

describe("a hold", () => {
  test("keeps a report, and must be released by somebody else", async () => {
    await world.as(olga).put(rulesPath(), { resolvedMonths: 1 });
    const id = await finishedReport();
    const reason = "Marker-reason: the police asked for it.";
    const set = await world.as(omar).put(at(id, "/hold"), { reason, reviewOn: REVIEW_ON });
    expect([set.status, set.body.retention]).toEqual([
      200,
      {
        deleteOn: null,
        rule: "resolved",
        months: 1,
        delayedBy: expect.toBeOneOf([null, "rules", "message"]),
        onHold: true,
        hold: {
          heldBy: { id: omar.id, name: omar.name },
          reason,
          reviewOn: REVIEW_ON,
          heldAt: expect.any(String),
          canRelease: false,
        },
      },
    ]);
    await age(id, 400);
    await deleteDueIncidents();
    expect((await world.as(omar).get(at(id))).status).toBe(200);
    expectRefusal(await world.as(omar).delete(at(id, "/hold")), "403 FORBIDDEN");
    // Whoever changes it doesn't take it over.
    await world.as(ada).put(at(id, "/hold"), { reason: `${reason} Twice.`, reviewOn: "2090-02-01" });
    expect((await retentionOf(ada, id)).hold).toMatchObject({ heldBy: { id: omar.id }, canRelease: true });
    const released = await world.as(ada).delete(at(id, "/hold"));
    expect(released.body.retention).toMatchObject({ onHold: false, hold: null, delayedBy: "release" });
    expectRefusal(await world.as(ada).delete(at(id, "/hold")), "404 NOT_FOUND");
    await deleteDueIncidents();
    expect((await world.as(omar).get(at(id))).status).toBe(200);
    const logs = await heed.sql(
      `select data::text from audit_entries union all select to_jsonb(o)::text from outbox_events o
       union all select payload::text from webhook_deliveries union all select to_jsonb(n)::text from notifications n
       union all select to_jsonb(h)::text from incident_history h where h.incident_id = '${id}'`,
    );
    expect(JSON.stringify(logs)).not.toContain("Marker-reason");
    const actions = await heed.sql<{ action: string }>(
      "select action from audit_entries where object_id = $1 and action like 'incident.%old' order by seq",
      [id],
    );
    expect(actions.map(({ action }) => action)).toEqual([
      "incident.hold",
      "incident.hold",
      "incident.releaseHold",
    ]);
  });

  test("can be released by its author if nobody else is on the team, with an audit entry", async () => {
    const place = await world.newEvent(organization);
    const alone = await world.person("Alma Alone", { events: [[place, "Admin"]] });
    const disabled = await world.person("Dora Disabled", { events: [[place, "Admin"]] });
    await heed.sql("update users set disabled_at = now() where id = $1", [disabled.id]);
    const id = await finishedReport(place, "closed", alone);
    const set = await world
      .as(alone)
      .put(at(id, "/hold", place), { reason: "A court.", reviewOn: REVIEW_ON });
    expect(set.body.retention.hold.canRelease).toBe(true);
    expect((await world.as(alone).delete(at(id, "/hold", place))).status).toBe(200);
    const [entry] = await heed.sql(
      "select data from audit_entries where object_id = $1 and action = 'incident.releaseHold'",
      [id],
    );
    expect(entry).toEqual({ data: { alone: true } });
  });

  test("belongs to the first of two people who set it concurrently", async () => {
    const id = await finishedReport();
    const set = await runWhileLocked(
      `with locked as (select id from incidents where id = $1 for no key update)
       insert into incident_retention (incident_id, held_by_id, held_at, reason, review_on)
       select id, $2, now(), 'First.', '2090-01-31' from locked`,
      [id, omar.id],
      () => world.as(ada).put(at(id, "/hold"), { reason: "Second.", reviewOn: REVIEW_ON }),
      () => waitForBlockedStatements(),
    );
    expect(set.status).toBe(200);
    expect((await retentionOf(omar, id)).hold).toMatchObject({
      heldBy: { id: omar.id },
      reason: "Second.",
      canRelease: false,
    });
  });

  test("changed while it is released, is changed before or set again after", async () => {
    const id = await finishedReport();
    await world.as(omar).put(at(id, "/hold"), { reason: "First.", reviewOn: REVIEW_ON });
    const set = await runWhileLocked(
      `with locked as (select id from incidents where id = $1 for no key update)
       update incident_retention r set (held_by_id, held_at, reason, review_on, released_at) = (null, null, null, null, now())
       from locked where r.incident_id = locked.id`,
      [id],
      () => world.as(ada).put(at(id, "/hold"), { reason: "Second.", reviewOn: REVIEW_ON }),
      () => waitForBlockedStatements(),
    );
    expect(set.status).toBe(200);
    expect((await retentionOf(ada, id)).hold).toMatchObject({ heldBy: { id: ada.id }, reason: "Second." });
  });

  test("isn't released by an Admin who has excluded everybody else, but is where the reporter did", async () => {
    const place = await world.newEvent(organization);
    const alone = await world.person("Alba Alone", { events: [[place, "Admin"]] });
    const other = await world.person("Otto Other", { events: [[place, "Admin"]] });
    const id = await finishedReport(place, "closed", alone);
    await world.as(alone).put(at(id, "/hold", place), { reason: "A court.", reviewOn: REVIEW_ON });
    const hideFrom = (source: string) =>
      heed.sql(
        `insert into incident_readers (incident_id, user_id, access, source) values ($1, $2, 'none', $3::reader_source)
         on conflict (incident_id, user_id) do update set source = excluded.source`,
        [id, other.id, source],
      );
    await hideFrom("team");
    expectRefusal(await world.as(alone).delete(at(id, "/hold", place)), "403 FORBIDDEN");
    await hideFrom("reporter");
    expect((await world.as(alone).delete(at(id, "/hold", place))).status).toBe(200);
  });

  test.each([[{ reason: " ", reviewOn: REVIEW_ON }], [{ reason: "A court.", reviewOn: "2020-01-01" }]])(
    "is refused with %j",
    async (body) => {
      const id = await finishedReport();
      expectRefusal(await world.as(omar).put(at(id, "/hold"), body), "400 VALIDATION_ERROR");
      expect((await retentionOf(omar, id)).onHold).toBe(false);
    },
  );

  test("isn't the reporter's, nor anybody's outside of the team", async () => {
    const id = await finishedReport();
    await world.as(ada).put(at(id, "/hold"), { reason: "Marker-secret", reviewOn: REVIEW_ON });
    const own = await world.as(maya).get(at(id, "/retention"));
    expect(own.body.retention).toMatchObject({ onHold: true, hold: null });
    expect(own.text).not.toContain("Marker-secret");
  });
});

describe("the deletion of a report", () => {
  test("leaves nothing in lists, searches, files and mails, and doesn't change the numbers", async () => {
    const own = await world.newOrganization();
    const place = await world.newEvent(own);
    const oscar = await world.person("Oscar Third", { organization: [own, "org_admin"] });
    const erik = await world.person("Erik Third", { events: [[place, "Admin"]] });
    const mila = await world.person("Mila Third", { events: [[place, "Reporter"]] });
    const marker = `Marker${generateUniqueWord()}`;
    const photo = { name: `${marker}.jpg`, bytes: await createPhoto(), type: "image/jpeg" };
    const sent = await world
      .as(mila)
      .post(
        `/api/events/${place.id}/incidents`,
        buildForm({ title: `${marker} at the desk`, description: marker }, photo),
      );
    const { id } = sent.body.incident;
    await world
      .as(erik)
      .patch(at(id, "/state", place), { state: "resolved", notes: marker, outcome: marker });
    await world.as(mila).post(at(id, "/comments", place), { body: marker });
    await world.as(erik).post("/api/users/me/pins", { incidentId: id, eventId: place.id });
    const keys = await heed.sql<{ key: string }>(
      `select storage_key as key from related_files where incident_id = $1
       union select original_key from related_files where incident_id = $1`,
      [id],
    );
    expect(keys).toHaveLength(2);
    const files = keys.map(({ key }) =>
      path.join(heed.dataDir, "files", key.slice(0, 2), key.slice(2, 4), key),
    );
    expect(files.every((file) => fs.existsSync(file))).toBe(true);
    await world.as(oscar).put(rulesPath(own), { resolvedMonths: 1 });
    await age(id, 60, own);
    // Ends on a fixed day: the present one may end between the two requests.
    const day = (daysAgo: number) =>
      new Date(Date.now() - daysAgo * 24 * 3_600_000).toISOString().slice(0, 10);
    const period = `from=${day(365)}&to=${day(0)}`;
    const numbers = async () => {
      const [analytics, insights, summary] = await Promise.all(
        [`analytics?${period}`, `insights?${period}`]
          .map((name) => `/api/organizations/${own.id}/reports/${name}`)
          .concat(`/api/organizations/${own.id}/events/summary`)
          .map(async (one) => (await world.as(oscar).get(one)).body),
      );
      const { recentReports: _, ...counted } = analytics;
      return { counted, insights, reports: summary.events[0].reportCount };
    };
    const before = await numbers();
    expect(before.counted.metrics.totalReports).toBe(1);

    await deleteDueIncidents();
    expect(await numbers()).toEqual(before);
    for (const person of [erik, mila, world.sam]) {
      expect((await world.as(person).get(at(id, "", place))).status).toBe(404);
      const lists = [
        `/api/events/${place.id}/incidents`,
        `/api/events/slug/${place.slug}/incidents?search=${marker}`,
        `/api/users/me/incidents?event=${place.id}`,
        "/api/users/me/pins",
        "/api/users/me/notifications",
      ];
      for (const list of lists) expect((await world.as(person).get(list)).text).not.toContain(id);
    }
    await waitUntil("the files are gone", () => files.every((file) => !fs.existsSync(file)));
    expect(JSON.stringify(readMails(heed))).not.toContain(marker);
    const audit = await world.as(oscar).get(`/api/organizations/${own.id}/audit?action=incident.expire`);
    expect(audit.body.entries).toMatchObject([{ right: "service", data: { rule: "resolved" } }]);
    expect(audit.text).toContain(id);
    expect((await world.as(oscar).get(rulesPath(own))).body.schedule).toMatchObject({
      deleted: 1,
      undated: 0,
    });
    const verify = await world.as(oscar).get(`/api/organizations/${own.id}/audit/verify`);
    expect(verify.text).not.toContain('"broken":true');
  });

  test("closes the mailbox with it", async () => {
    await world.as(olga).put(rulesPath(), { closedMonths: 1 });
    const client = heed.visitor();
    const title = `Shouted at ${generateUniqueWord()}`;
    await client.post(
      `/api/events/slug/${event.slug}/anonymous-reports`,
      { title, description: "An hour ago.", openMailbox: true },
      { opensMailbox: true },
    );
    const [{ id } = { id: "" }] = await heed.sql<{ id: string }>(
      "select id from incidents where title = $1",
      [title],
    );
    await world.move((await world.as(omar).get(at(id))).body.incident, "closed");
    await age(id, 60);
    await deleteDueIncidents();
    expect((await client.get("/api/mailbox")).status).toBe(401);
  });
});
