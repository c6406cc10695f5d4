import en from "#lib/i18n/messages/en/index.ts";
import { afterAll, describe, expect, test } from "vitest";
import { plantAuditEntries } from "#e2e/support/audit-entries.ts";
import { summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { runWhileLocked } from "#e2e/support/row-lock.ts";
import { shareService } from "#e2e/support/service.ts";
import {
  checkCount,
  expectShape,
  checkList,
  checkNullable,
  checkRecord,
  checkText,
  checkTime,
  checkUuid,
  checkBoolean,
} from "#e2e/support/shapes.ts";
import { TestWorld, type TestPerson } from "#e2e/support/world.ts";

/** The audit logs (contract 12.4). Who may read which is in the table of routes; here is what they hold. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, foreignOrganization, maya, olga, omar, organization, otherEvent, sam } = world;

const ORGANIZATION_LOG = `/api/organizations/${organization.id}/audit`;
const EVENT_LOG = `/api/events/slug/${event.slug}/audit`;
const SYSTEM_LOG = "/api/admin/audit";

const read = async (person: TestPerson, path: string) => {
  const reply = await world.as(person).get(path);
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
};
const seqs = (body: any): number[] => body.entries.map(({ seq }: { seq: number }) => seq);
const actions = (body: any): string[] => body.entries.map(({ action }: { action: string }) => action);

/** Entries as the service would write them. */
const plant = (entry: Record<string, any>, times = 1): Promise<void> =>
  plantAuditEntries(
    heed,
    Array.from({ length: times }, () => ({
      organizationId: entry.chain ?? organization.id,
      actorId: entry.actor === undefined ? olga.id : entry.actor,
      action: entry.action ?? "mail.test",
      object: { type: entry.type ?? "mail", id: entry.object ?? null },
      eventId: entry.event ?? null,
      right: entry.right ?? "organization:org_admin",
      requestId: entry.request ?? null,
      data: entry.data ?? {},
    })),
  );
const headOf = async (chain: string) =>
  Number((await heed.sql("select seq from audit_chains where chain = $1", [chain]))[0]?.seq ?? 0);

/** As somebody with the database's password could: past the trigger that stops slips. */
async function tamper(change: string, values: unknown[]): Promise<void> {
  await heed.sql("alter table audit_entries disable trigger audit_entries_append_only");
  await heed.sql(change, values);
  await heed.sql("alter table audit_entries enable trigger audit_entries_append_only");
}

const longChains: string[] = [];
// Whoever counts the entries in a later file of the worker would count these, too, which takes time.
afterAll(async () => {
  await tamper("delete from audit_entries where chain = any($1)", [longChains]);
  await heed.sql("delete from audit_chains where chain = any($1)", [longChains]);
  await heed.sql("vacuum audit_entries");
});

/** A chain that nothing else writes to, whose views are recorded already. The view is the newest entry. */
async function ownLog(
  entry: Record<string, unknown> = {},
  times = 0,
): Promise<{ path: string; chain: string }> {
  const { id } = await world.newOrganization("With a log");
  const path = `/api/organizations/${id}/audit`;
  // Before the view, which is recorded anew once a minute has passed: many entries may take longer.
  if (times > 0) longChains.push(id);
  await plant({ ...entry, chain: id }, times);
  await world.as(sam).get(path);
  return { path, chain: id };
}

describe("an audit log", () => {
  test("has its shape, newest first, with names of those who still have an account", async () => {
    const { invite } = (
      await world.as(olga).post(`/api/organizations/${organization.id}/invites`, { role: "org_viewer" })
    ).body;
    const gone = "22222222-2222-4222-8222-222222222222";
    await plant({ actor: gone });
    const body = await read(olga, ORGANIZATION_LOG);
    expectShape(body, {
      entries: checkList(
        checkRecord({
          seq: checkCount,
          at: checkTime,
          actor: checkNullable(checkRecord({ id: checkUuid, name: checkNullable(checkText) })),
          action: checkText,
          objectType: checkText,
          objectId: checkNullable(checkUuid),
          eventId: checkNullable(checkUuid),
          incidentId: checkNullable(checkUuid),
          right: checkText,
          requestId: checkNullable(checkText),
          data: (value, at) => expect(typeof value, at).toBe("object"),
        }),
      ),
      pagination: checkRecord({
        page: checkCount,
        limit: checkCount,
        total: checkCount,
        totalPages: checkCount,
        atLeast: checkBoolean,
        next: checkNullable(checkCount),
      }),
    });
    expect(seqs(body)).toEqual(seqs(body).toSorted((a, b) => b - a));
    const created = body.entries.find(({ action }: { action: string }) => action === "invite.create");
    expect(created).toMatchObject({
      actor: { id: olga.id, name: olga.name },
      objectType: "invite",
      objectId: invite.id,
      right: "organization:org_admin",
      data: { role: "org_viewer", maxUses: null },
    });
    expect(body.entries.find(({ actor }: any) => actor?.id === gone).actor).toEqual({ id: gone, name: null });
  });

  test("says what changed in which incident, with a link for those who may read it while it exists", async () => {
    const report = await world.report(maya, event);
    const path = `/api/events/slug/${event.slug}/incidents/${report.id}`;
    await world.as(omar).patch(path, { severity: "high", assignedResponderId: omar.id });
    await world.as(omar).post(`${path}/comments`, { body: "A note." });
    const [note, change] = (await read(ada, `${EVENT_LOG}?actor=${omar.id}`)).entries;
    expect([note.incidentId, change.incidentId]).toEqual([report.id, report.id]);
    expect(change.data.changed).toEqual(["assignedResponderId", "severity"]);
    const severity = en.audit["changed.severity"].replace("{to}", en.incident["severity.high"]);
    const pages = [
      { person: ada, page: `/e/${event.slug}/audit`, linked: true },
      { person: olga, page: `/orgs/${organization.slug}/audit`, linked: false },
    ];
    const readPage = async ({ person, page }: (typeof pages)[number]) => {
      const { text } = await world.as(person).get(`${page}?actor=${omar.id}`);
      return { what: text.includes(severity), link: text.includes(`href="/e/${event.slug}/i/${report.id}"`) };
    };
    for (const page of pages)
      expect(await readPage(page), page.page).toEqual({ what: true, link: page.linked });
    await heed.sql("delete from incidents where id = $1", [report.id]);
    for (const page of pages) expect(await readPage(page), page.page).toEqual({ what: true, link: false });
  });

  test("continues by page, and from any entry down, without gaps or repeats, also with a filter", async () => {
    const { path, chain } = await ownLog();
    for (let round = 0; round < 5; round += 1) {
      await plant({ chain, action: "file.delete", type: "file", actor: omar.id });
      await plant({ chain, action: "file.download", type: "file", actor: ada.id });
      await plant({ chain, action: "note.create", type: "note", actor: omar.id });
    }
    const readPages = async (query: string) => {
      const first = await read(sam, `${path}?limit=2${query}`);
      const found = [...seqs(first)];
      for (let { next } = first.pagination; next !== null;) {
        const body = await read(sam, `${path}?limit=2${query}&before=${next}`);
        found.push(...seqs(body));
        next = body.pagination.next;
      }
      const paged = seqs(await read(sam, `${path}?limit=2&page=2${query}`));
      expect(paged, query).toEqual(found.slice(2, 4));
      const whole = await read(sam, `${path}?limit=100${query}`);
      expect(seqs(whole), query).toEqual(found);
      expect(whole.pagination).toMatchObject({ total: found.length, atLeast: false, next: null });
      return whole;
    };
    expect(seqs(await readPages(""))).toEqual(Array.from({ length: 16 }, (_, index) => 16 - index));
    expect(actions(await readPages("&action=file."))).toHaveLength(10);
    expect(new Set(actions(await readPages("&action=file.delete")))).toEqual(new Set(["file.delete"]));
    expect(actions(await readPages(`&actor=${omar.id.toUpperCase()}`))).toHaveLength(10);
    expect(actions(await readPages(`&actor=${omar.id}&action=file.`))).toHaveLength(5);
    expect(actions(await readPages("&objectType=note"))).toHaveLength(5);
    expect(actions(await readPages(`&objectType=note&actor=${ada.id}`))).toEqual([]);
  });

  test("is filtered by time, both ends within, also when a clock was set back", async () => {
    const { path, chain } = await ownLog();
    await plant({ chain }, 20);
    // Nothing checks hashes here: days apart, one entry out of order.
    await tamper(
      "update audit_entries set at = '2020-03-01T00:00:00Z'::timestamptz + seq * interval '1 day' where chain = $1",
      [chain],
    );
    await tamper(
      "update audit_entries set at = at - interval '1 day 10 minutes' where chain = $1 and seq = 12",
      [chain],
    );
    const between = async (from: string, to: string) =>
      seqs(await read(sam, `${path}?from=${from}&to=${to}`)).toSorted((a, b) => a - b);
    expect(await between("2020-03-05T00:00:00Z", "2020-03-08T00:00:00Z")).toEqual([4, 5, 6, 7]);
    expect(await between("2020-03-05", "2020-03-05")).toEqual([4]);
    // Entry 4 stands at midnight in UTC, which is the evening before in New York.
    await world.as(sam).patch("/api/users/me/profile", { timeZone: "America/New_York" });
    expect(await between("2020-03-05", "2020-03-05")).toEqual([5]);
    expect(await between("2020-03-04", "2020-03-04")).toEqual([4]);
    await world.as(sam).patch("/api/users/me/profile", { timeZone: null });
    // Entry 12 stands at 23:50 of the day before entry 11.
    expect(await between("2020-03-12T00:00:00Z", "2020-03-13T00:00:00Z")).toEqual([11]);
    expect(await between("2020-03-11T23:00:00Z", "2020-03-12T00:00:00Z")).toEqual([11, 12]);
    expect(await between("2021-01-01", "2021-01-02")).toEqual([]);
    expect(await between("2019-01-01", "2019-01-02")).toEqual([]);
    // 22 is the view of today, since the one before it was moved to the past.
    expect(seqs(await read(sam, `${path}?from=2020-03-20`))).toEqual([22, 21, 20, 19]);
    expect(seqs(await read(sam, `${path}?to=2020-03-03T12:00:00Z`))).toEqual([2, 1]);
    await world.as(sam).patch("/api/users/me/profile", { timeZone: "America/New_York" });
    const readable = await world.as(sam).get(`${path}?from=2020-03-04&to=2020-03-04&format=csv&labels=en`);
    expect(readable.text).toMatch(/^\uFEFFWhen \(America\/New York\),/);
    expect(readable.text).toContain("\r\n2020-03-04 19:00,");
    await world.as(sam).patch("/api/users/me/profile", { timeZone: null });
  });

  test("counts up to its stated limit", async () => {
    const { path } = await ownLog({ action: "file.delete" }, 10_001);
    const body = await read(sam, `${path}?action=file.delete&limit=1`);
    expect(body.pagination).toMatchObject({ total: 10_000, atLeast: true, next: 10_001 });
    expect((await read(sam, `${path}?limit=1`)).pagination).toMatchObject({ total: 10_002, atLeast: false });
  });
});

// e2e/domain/audit-reporters.test.ts has what else an organization's admin learns of reporters.
describe("what a log leaves out", () => {
  test("who filed an anonymous report, in every view of it", async () => {
    const report = await world.report(maya, event, { anonymous: true });
    const views = [
      await read(olga, `${ORGANIZATION_LOG}?action=incident.create`),
      await read(ada, `${EVENT_LOG}?action=incident.create`),
      await read(sam, `${SYSTEM_LOG}?chain=${organization.id}&action=incident.create`),
    ];
    for (const { entries } of views) {
      const entry = entries.find(({ objectId }: { objectId: string }) => objectId === report.id);
      expect(entry).toMatchObject({ actor: null, requestId: null, right: "anonymous" });
      expect(JSON.stringify(entry)).not.toMatch(new RegExp(`${maya.id}|${maya.name}|${maya.email}`));
    }
    for (const path of [ORGANIZATION_LOG, EVENT_LOG]) {
      const person = path === EVENT_LOG ? ada : olga;
      const byActor = await read(person, `${path}?actor=${maya.id}&limit=100`);
      expect(byActor.entries.some(({ objectId }: { objectId: string }) => objectId === report.id)).toBe(
        false,
      );
      const csv = await world.as(person).get(`${path}?action=incident.create&format=csv`);
      const line = csv.text.split("\r\n").find((one) => one.includes(report.id));
      expect(line).toContain(",,,incident.create");
    }
  });

  test("from an organization's admin: who reports, until they join the event's team", async () => {
    const place = await world.newEvent(organization);
    const person = await world.person("Quiet Reporter", { events: [[place, "Reporter"]] });
    const report = await world.report(person, place);
    await world.as(person).patch(`/api/events/${place.id}/incidents/${report.id}/title`, {
      title: "A title of their own",
    });
    const seen = async (query: string) => {
      const { entries } = await read(olga, `${ORGANIZATION_LOG}?${query}&limit=100`);
      const csv = (await world.as(olga).get(`${ORGANIZATION_LOG}?${query}&format=csv`)).text;
      const own = entries.filter(({ objectId }: { objectId: string }) => objectId === report.id);
      const mentions = [JSON.stringify(entries), csv].filter((text) => text.includes(person.id)).length;
      return { mentions, actors: own.map(({ actor }: { actor: unknown }) => actor) };
    };
    expect(await seen("action=incident.")).toEqual({ mentions: 0, actors: [null, null] });
    expect(await seen(`actor=${person.id}`)).toEqual({ mentions: 0, actors: [] });
    await world.grant(olga, place, "Responder");
    const known = { id: person.id, name: person.name };
    expect(await seen("action=incident.")).toEqual({ mentions: 2, actors: [known, known] });
    expect(await seen(`actor=${person.id}`)).toEqual({ mentions: 2, actors: [known, known] });
    await world.revoke(olga, place);
    const whole = await read(sam, `${SYSTEM_LOG}?chain=${organization.id}&action=incident.create`);
    expect(JSON.stringify(whole)).toContain(person.id);
  });

  test("from an event's Admin: other events, the organization, and other organizations", async () => {
    const marker = "leakmarker";
    await plant({ data: { marker } });
    await plant({ data: { marker }, event: otherEvent.id });
    await plant({ data: { marker }, chain: foreignOrganization.id });
    await plant({ data: { marker }, chain: foreignOrganization.id, event: event.id });
    await plant({ data: { mine: true }, event: event.id });
    for (const query of ["", `?actor=${olga.id}`, "?action=mail.", "?objectType=mail", "?format=csv"]) {
      const reply = await world.as(ada).get(`${EVENT_LOG}${query}`);
      expect(reply.text).toContain("mine");
      expect(reply.text, query).not.toContain(marker);
    }
    const { entries, pagination } = await read(ada, `${EVENT_LOG}?limit=100`);
    expect(entries.every(({ eventId }: { eventId: string }) => eventId === event.id)).toBe(true);
    expect(pagination.total).toBe(
      await heed.rows("audit_entries", "chain = $1 and event_id = $2", [organization.id, event.id]),
    );
    expect((await read(olga, `${ORGANIZATION_LOG}?action=mail.test&limit=100`)).entries).toHaveLength(4);
  });
});

describe("viewing a log", () => {
  const HEAD = "select 1 from audit_chains where chain = $1 for update";
  const views = (chain: string, actor: TestPerson) =>
    heed.sql(
      `select seq::int, event_id, object_id, by_right, data from audit_entries
       where chain = $1 and actor_id = $2 and action = 'audit.view' order by seq`,
      [chain, actor.id],
    );

  test("appends one entry per person and minute, however many views are concurrent", async () => {
    const person = await world.person("Curious Admin", { organization: [organization, "org_admin"] });
    const client = world.as(person);
    // All of them have looked whether they were recorded lately before the first can be recorded.
    const replies = await runWhileLocked(HEAD, [organization.id], () =>
      Promise.all(Array.from({ length: 8 }, () => client.get(ORGANIZATION_LOG))),
    );
    for (const { status, body } of replies) {
      expect(status).toBe(200);
      expect(
        body.entries.some((entry: any) => entry.action === "audit.view" && entry.actor.id === person.id),
      ).toBe(true);
    }
    expect(await views(organization.id, person)).toMatchObject([
      { event_id: null, object_id: organization.id, by_right: "organization:org_admin" },
    ]);
    await tamper("update audit_entries set at = at - interval '61 seconds' where actor_id = $1", [person.id]);
    await client.get(ORGANIZATION_LOG);
    expect(await views(organization.id, person)).toHaveLength(2);
  });

  test("is recorded for each person and each log", async () => {
    const person = await world.person("Two Logs", {
      organization: [organization, "org_admin"],
      events: [[event, "Admin"]],
    });
    await world.as(person).get(ORGANIZATION_LOG);
    await world.as(person).get(EVENT_LOG);
    await world.as(person).get(EVENT_LOG);
    expect((await views(organization.id, person)).map(({ event_id }) => event_id)).toEqual([null, event.id]);
  });

  test("of an existing organization by a SystemAdmin appends to the organization's own log", async () => {
    const { id } = await world.newOrganization("Viewed from above");
    await plant({ chain: id });
    await world.as(sam).get(`${SYSTEM_LOG}?chain=${id}`);
    expect(await views(id, sam)).toMatchObject([{ by_right: "SystemAdmin" }]);
  });
});

describe("a log as CSV", () => {
  const COLUMNS = "seq,at,actorId,actor,action,objectType,objectId,eventId,right,requestId,data";

  test("holds every row that fits, streamed, and is recorded", async () => {
    const { path, chain } = await ownLog();
    await plant({ chain, action: "file.delete" }, 1100);
    await plant({ chain, action: "note.create" }, 3);
    const reply = await world.as(sam).get(`${path}?format=csv&action=file.&limit=10`);
    expect(reply.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(reply.headers["content-disposition"]).toBe('attachment; filename="heed-audit.csv"');
    const [header, ...lines] = reply.text.trimEnd().split("\r\n");
    expect(header).toBe(COLUMNS);
    expect(lines).toHaveLength(1100);
    expect(new Set(lines.map((line) => line.split(",")[0])).size).toBe(1100);
    expect(lines.every((line) => line.includes("file.delete"))).toBe(true);
    const entries = await heed.sql(
      "select by_right, data from audit_entries where chain = $1 and action = 'audit.export'",
      [chain],
    );
    expect(entries).toEqual([
      {
        by_right: "SystemAdmin",
        data: { format: "csv", actor: null, action: "file.", objectType: null, from: null, to: null },
      },
    ]);
  });

  test("has the hash of each entry for a SystemAdmin in the system's log, and for nobody in an organization's", async () => {
    const { path, chain } = await ownLog();
    const [entry] = await heed.sql("select mac as hash from audit_entries where chain = $1 and seq = 1", [
      chain,
    ]);
    const { text: system } = await world.as(sam).get(`${SYSTEM_LOG}?chain=${chain}&format=csv`);
    const lines = system.trimEnd().split("\r\n");
    expect(lines[0]).toBe(`${COLUMNS},hash`);
    expect(lines.at(-1)).toMatch(new RegExp(`^1,.*,${entry?.hash}$`));
    const { text: own } = await world.as(sam).get(`${path}?format=csv`);
    expect(own).not.toContain(entry?.hash);
    for (const log of [path, `${SYSTEM_LOG}?chain=${chain}`])
      expect(JSON.stringify(await read(sam, log))).not.toContain(entry?.hash);
  });
});

describe("verification", () => {
  const SHAPE = {
    ok: checkBoolean,
    entries: checkCount,
    head: checkNullable(checkText),
    firstProblem: checkNullable(checkCount),
  };

  test("checks a chain over several batches, and while it grows", async () => {
    const { path, chain } = await ownLog({}, 2500);
    const [body] = await Promise.all([
      read(sam, `${path}/verify`),
      ...Array.from({ length: 20 }, () => plant({ chain })),
    ]);
    expectShape(body, SHAPE);
    expect(body).toMatchObject({ ok: true, firstProblem: null });
    const [row] = await heed.sql("select mac as head from audit_chains where chain = $1", [chain]);
    const whole = { ok: true, entries: 2521, head: row?.head, firstProblem: null };
    expect(await read(sam, `${path}/verify`)).toEqual(whole);
    await tamper(
      "update audit_entries set data = '{}', by_right = 'nobody' where chain = $1 and seq = 1321",
      [chain],
    );
    for (const log of [`${path}/verify`, `${SYSTEM_LOG}/verify?chain=${chain}`])
      expect(await read(sam, log)).toMatchObject({ ok: false, firstProblem: 1321 });
  });

  test("of an event checks the whole chain, and counts the event's entries", async () => {
    const body = await read(ada, `${EVENT_LOG}/verify`);
    expectShape(body, SHAPE);
    // Other tests have moved the times of entries.
    expect(body.entries).toBe(
      await heed.rows("audit_entries", "chain = $1 and event_id = $2", [organization.id, event.id]),
    );
  });

  test("of a log without entries finds nothing wrong, and one that never was is 404", async () => {
    const { id } = await world.newOrganization("Without a log");
    expect(await read(sam, `/api/organizations/${id}/audit/verify`)).toEqual({
      ok: true,
      entries: 0,
      head: null,
      firstProblem: null,
    });
    const nowhere = "11111111-1111-4111-8111-111111111111";
    for (const path of [`${SYSTEM_LOG}?chain=${nowhere}`, `${SYSTEM_LOG}/verify?chain=${nowhere}`])
      expect(summarizeResponse(await world.as(sam).get(path))).toEqual([404, "NOT_FOUND"]);
  });
});

describe("the log of a deleted organization", () => {
  test("stays, and the system's log says that it was deleted, and who views it", async () => {
    const { id: chain } = await world.newOrganization("To be deleted");
    const path = `${SYSTEM_LOG}?chain=${chain}`;
    await plant({ chain }, 5);
    expect((await world.as(sam).delete(`/api/organizations/${chain}`)).status).toBe(200);
    const { entries } = await read(sam, `${SYSTEM_LOG}?action=organization.delete`);
    expect(entries[0]).toMatchObject({ objectId: chain, data: { organizationId: chain } });
    const body = await read(sam, path);
    expect(seqs(body)).toEqual([5, 4, 3, 2, 1]);
    expect(body.pagination).toMatchObject({ total: 5 });
    expect((await world.as(sam).get(`/api/organizations/${chain}/audit`)).status).toBe(404);
    expect(await read(sam, `${SYSTEM_LOG}/verify?chain=${chain}`)).toMatchObject({ ok: true, entries: 5 });
    const csv = await world.as(sam).get(`${path}&format=csv`);
    expect(csv.status).toBe(200);
    expect(await headOf(chain)).toBe(5);
    const rows = await heed.sql(
      "select action from audit_entries where chain = 'system' and object_id = $1 and object_type = 'audit' order by seq",
      [chain],
    );
    expect(rows.map(({ action }) => action)).toEqual(["audit.view", "audit.export"]);
  });
});

describe("the system's log", () => {
  test("holds exactly the entries that belong to no organization", async () => {
    // An organization's entry of the same kind. Of entries about incidents, other test files have some that sam can't see.
    await plant({ type: "organization", object: organization.id });
    type Entry = { seq: number; action: string; objectId: string | null };
    const entries: Entry[] = [];
    for (let before = ""; ;) {
      const page = await read(sam, `${SYSTEM_LOG}?limit=100&objectType=organization${before}`);
      entries.push(...page.entries);
      if (page.pagination.next === null) break;
      before = `&before=${page.pagination.next}`;
    }
    expect(entries.length).toBeGreaterThan(0);
    const stored = await heed.sql(
      `select seq::int, action, object_id as "objectId" from audit_entries
       where chain = 'system' and object_type = 'organization' and seq <= $1 order by seq desc`,
      [entries[0]?.seq],
    );
    expect(entries.map(({ seq, action, objectId }) => ({ seq, action, objectId }))).toEqual(stored);
  });
});
