import { describe, expect, test } from "vitest";
import { buildForm } from "#e2e/support/evidence.ts";
import { shareService } from "#e2e/support/service.ts";
import {
  checkCount,
  checkExactly,
  expectShape,
  checkList,
  checkNullable,
  PAGINATION,
  checkRecord,
  checkText,
  checkTime,
  checkUuid,
} from "#e2e/support/shapes.ts";
import { TestWorld, type TestPerson, type ReportRecord } from "#e2e/support/world.ts";

/** Who has looked at an incident (docs/decisions/013). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, olga, omar, organization, rita, sam, viktor } = world;

const at = (report: ReportRecord, rest = "") =>
  `/api/events/slug/${event.slug}/incidents/${report.id}${rest}`;
const viewReport = async (person: TestPerson, report: ReportRecord, rest = "") => {
  const reply = await world.as(person).get(at(report, rest));
  expect(reply.status, reply.text).toBe(200);
  return reply;
};
type Line = { kind: string; actor_id: string; by_right: string; object_id: string | null };
const lines = (report: ReportRecord) =>
  heed.sql<Line>(
    "select kind, actor_id, by_right, object_id from incident_access where incident_id = $1 order by id",
    [report.id],
  );
const line = (kind: string, person: TestPerson, right: string, object: string | null = null): Line => ({
  kind,
  actor_id: person.id,
  by_right: right,
  object_id: object,
});

const ACCESS = checkRecord({
  id: checkText,
  kind: checkExactly("view", "list", "file", "original", "export", "log"),
  actor: checkNullable(checkRecord({ id: checkUuid, name: checkText })),
  right: checkText,
  reason: checkNullable(checkText),
  at: checkTime,
});
const READER = checkRecord({ id: checkUuid, name: checkText, lastAt: checkTime, views: checkCount });

describe("the access log gets a line", () => {
  test("by each view of the report, its history, its conversation, earlier texts of it and this log", async () => {
    const report = await world.report(maya, event);
    const { comment } = (await world.as(omar).post(at(report, "/comments"), { body: "x" })).body;
    await viewReport(omar, report);
    await world.as(omar).get(`/api/events/${event.id}/incidents/${report.id}`);
    await viewReport(ada, report, "/history");
    await viewReport(sam, report, "/comments");
    await viewReport(ada, report, `/comments/${comment.id}/revisions`);
    await viewReport(omar, report, "/access");
    expect(await lines(report)).toEqual([
      line("view", omar, "event:Responder"),
      line("view", omar, "event:Responder"),
      line("view", ada, "event:Admin"),
      line("view", sam, "SystemAdmin"),
      line("view", ada, "event:Admin"),
      line("log", omar, "event:Responder"),
    ]);
  });

  test("by a page, once, whatever parts of the incident it reads", async () => {
    const report = await world.report(maya, event);
    const page = await fetch(`${heed.url}/e/${event.slug}/i/${report.id}`, {
      headers: { cookie: world.as(omar).cookie ?? "" },
    });
    expect(await page.text()).toContain(report.title);
    expect(await lines(report)).toEqual([line("view", omar, "event:Responder")]);
  });

  test("by an export, for each report in it", async () => {
    const apart = await world.newEvent(organization, "Apart");
    await world.grant(maya, apart, "Reporter");
    const reports = [await world.report(maya, apart), await world.report(maya, apart)];
    const outside = await world.report(maya, event);
    const exporting = `/api/organizations/${organization.id}/reports/export?eventId=${apart.id}`;
    const accept = { headers: { accept: "application/pdf" } };
    await world.as(viktor).get(`${exporting}&format=csv`);
    await world.as(olga).get(`${exporting}&format=pdf`);
    await world.as(olga).get(`${exporting}&format=pdf`, accept);
    for (const report of reports)
      expect(await lines(report)).toEqual([
        line("export", viktor, "organization:org_viewer"),
        line("export", olga, "organization:org_admin"),
        line("export", olga, "organization:org_admin"),
      ]);
    expect(await lines(outside)).toEqual([]);
  });

  test("by lists with its texts, once a day for each person, which its reporter's number counts", async () => {
    const report = await world.report(maya, event);
    const lists = [
      `/api/events/slug/${event.slug}/incidents`,
      `/api/events/${event.id}/incidents`,
      "/api/users/me/incidents",
      `/api/events/slug/${event.slug}/users/${maya.id}/incidents`,
    ];
    const readLists = (person: TestPerson, paths = lists) =>
      Promise.all(paths.map((path) => world.as(person).get(`${path}?limit=100&order=desc&sort=createdAt`)));
    for (const reply of await readLists(omar)) expect(reply.text).toContain(report.description);
    await readLists(omar);
    await readLists(sam, lists.slice(2));
    await readLists(maya, lists.slice(0, 3));
    expect(await lines(report)).toEqual([
      line("list", omar, "event:Responder"),
      line("list", sam, "SystemAdmin"),
    ]);
    expect((await viewReport(maya, report, "/access")).body.readBy).toBe(2);
    await heed.sql(
      `insert into incident_access (incident_id, event_id, actor_id, kind, by_right, at)
        values ($1, $2, $3, 'list', 'event:Admin', now() - interval '1 day')`,
      [report.id, event.id, ada.id],
    );
    await readLists(ada);
    const { readers } = (await viewReport(omar, report, "/access?only=readers")).body;
    expect(readers.find(({ id }: { id: string }) => id === ada.id)).toMatchObject({ views: 2 });
  });

  test("neither by a page of titles, nor by a change, nor by a refused request", async () => {
    const report = await world.report(maya, event);
    const inbox = await world.as(omar).get(`/e/${event.slug}/incidents`);
    expect(inbox.text).toContain(report.title);
    await world.as(omar).patch(at(report), { severity: "low" });
    expect((await world.as(rita).get(at(report))).status).toBe(404);
    expect((await world.as(viktor).get(at(report))).status).toBe(403);
    expect((await world.as(omar).get(at(report, "/comments?visibility=x"))).status).toBe(400);
    expect(await lines(report)).toEqual([]);
  });

  test("never by the reporter: the log must not reveal when somebody came back to a report", async () => {
    const body = buildForm(
      { title: "With notes of it", description: "See there." },
      { name: "a.txt", bytes: "What I saw." },
    );
    const report = (await world.as(maya).post(`/api/events/${event.id}/incidents`, body)).body.incident;
    const file = `/related-files/${report.relatedFiles[0].id}/download`;
    for (const rest of ["", "/history", "/comments", "/access", file]) await viewReport(maya, report, rest);
    expect(await lines(report)).toEqual([]);
  });
});

describe("the access log of an incident", () => {
  test("is for the team, newest first, includes views of the log, and names the report's readers", async () => {
    const report = await world.report(maya, event);
    await viewReport(omar, report);
    await viewReport(omar, report, "/history");
    await viewReport(ada, report);
    const { body } = await viewReport(ada, report, "/access");
    expectShape(body, { access: checkList(ACCESS), readers: checkList(READER), pagination: PAGINATION });
    expect(body.access.map(({ kind, actor, right }: any) => [kind, actor, right])).toEqual([
      ["log", { id: ada.id, name: ada.name }, "event:Admin"],
      ["view", { id: ada.id, name: ada.name }, "event:Admin"],
      ["view", { id: omar.id, name: omar.name }, "event:Responder"],
      ["view", { id: omar.id, name: omar.name }, "event:Responder"],
    ]);
    expect(body.readers.map(({ id, views }: any) => [id, views])).toEqual([
      [ada.id, 1],
      [omar.id, 2],
    ]);
    expect(body.readers[0].lastAt).toBe(body.access[1].at);
    expect(body.pagination).toEqual({ page: 1, limit: 50, total: 4, totalPages: 1 });
  });

  test("can be filtered by kind, and has pages", async () => {
    const report = await world.report(maya, event);
    for (const person of [omar, ada, omar]) await viewReport(person, report);
    const { body } = await viewReport(sam, report, "/access?kind=view&page=2&limit=2");
    expect(body.access.map(({ actor }: any) => actor.id)).toEqual([omar.id]);
    expect(body.pagination).toEqual({ page: 2, limit: 2, total: 3, totalPages: 2 });
    const beyond = await viewReport(sam, report, "/access?page=9");
    expect([beyond.body.access, beyond.body.pagination.total]).toEqual([[], 5]);
    expect((await world.as(sam).get(at(report, "/access?kind=x"))).status).toBe(400);
  });

  test("keeps the entries of a deleted account, without the name", async () => {
    const report = await world.report(maya, event);
    const leaver = await world.person("Somebody Leaving", { events: [[event, "Responder"]] });
    await viewReport(leaver, report);
    await heed.sql("delete from users where id = $1", [leaver.id]);
    const { body } = await viewReport(omar, report, "/access?kind=view");
    expect(body.access).toMatchObject([{ kind: "view", actor: null, right: "event:Responder" }]);
    expect(body.readers).toEqual([]);
    expect((await viewReport(maya, report, "/access")).body.readBy).toBe(1);
  });

  test("shows the reporter how many people have read it and the last day, and nothing else", async () => {
    const report = await world.report(maya, event);
    expect((await viewReport(maya, report, "/access")).body).toEqual({ readBy: 0, lastReadOn: null });
    await viewReport(omar, report);
    await viewReport(omar, report, "/comments");
    await viewReport(ada, report);
    // Neither an export nor a look at the log is reading.
    await viewReport(sam, report, "/access");
    await heed.sql(
      "update incident_access set at = '2026-03-01T23:30:00-02:00' where incident_id = $1 and kind = 'view'",
      [report.id],
    );
    const { body } = await viewReport(maya, report, "/access");
    expect(body).toEqual({ readBy: 2, lastReadOn: "2026-03-02" });
    expect((await world.as(rita).get(at(report, "/access"))).status).toBe(404);
    expect((await world.as(viktor).get(at(report, "/access"))).status).toBe(403);
  });
});
