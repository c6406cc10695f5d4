import { describe, expect, test } from "vitest";
import { buildForm } from "#e2e/support/evidence.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** Names that an operation doesn't know (contract 3.9). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, organization, ada, maya, nora, olga, omar } = world;

const incidents = `/api/events/${event.id}/incidents`;
const REPORT = { title: "A report with odd names", description: "It went on for a while." };

describe("an operation that the API began with", () => {
  test("ignores unknown members and query parameters, and names them", async () => {
    const created = await world.as(maya).post(`${incidents}?from=app`, { ...REPORT, mood: "calm", "ö x": 1 });
    expect([created.status, created.headers["x-ignored"]]).toEqual([201, "from, mood, %C3%B6%20x"]);
    const form = buildForm({ ...REPORT, mood: "calm" });
    expect((await world.as(maya).post(incidents, form)).headers["x-ignored"]).toBe("mood");
    const listed = await world.as(omar).get(`${incidents}?page=1&colour=red&fields=id`);
    expect([listed.status, listed.headers["x-ignored"]]).toEqual([200, "colour, fields"]);
    const shown = await world.as(omar).get(`${incidents}/${created.body.incident.id}?expand=files`);
    expect([shown.status, shown.headers["x-ignored"]]).toEqual([200, "expand"]);
  });

  test("names as many as fit into 4000 characters, and says that there are more", async () => {
    const unknown = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`unknown-member-${at}`, at]));
    const named = async (count: number) =>
      String((await world.as(maya).post(incidents, { ...REPORT, ...unknown(count) })).headers["x-ignored"]);
    expect((await named(100)).split(", ")).toEqual(Object.keys(unknown(100)));
    const many = await named(1000);
    expect(many.length).toBeLessThanOrEqual(4005);
    expect(many).toMatch(/^unknown-member-0, .*unknown-member-\d+, \.\.\.$/);
  });

  test("names them also where the response has no body or isn't JSON", async () => {
    const { id: incidentId } = await world.report(maya, event);
    const pinned = await world
      .as(maya)
      .post("/api/users/me/pins", { incidentId, eventId: event.id, color: "red" });
    expect([pinned.status, pinned.headers["x-ignored"]]).toEqual([204, "color"]);
    const csv = await world
      .as(olga)
      .get(`/api/organizations/${organization.id}/reports/export?format=csv&columns=id`);
    expect([csv.status, csv.headers["x-ignored"]]).toEqual([200, "columns"]);
  });

  test("says nothing where nothing was ignored, or the request was refused", async () => {
    expect((await world.as(omar).get(`${incidents}?page=1`)).headers["x-ignored"]).toBeUndefined();
    const refused = await world.as(maya).post(incidents, { ...REPORT, title: "Short", mood: "calm" });
    expect([refused.status, refused.headers["x-ignored"], refused.headers["x-error-key"]]).toEqual([
      400,
      undefined,
      "invalidInput",
    ]);
  });

  test.each([
    [omar, `${incidents}?status[]=closed`, "status[]: must be written status"],
    [omar, `${incidents}?status%5B0%5D=closed`, "status[0]: must be written status"],
    [ada, `/api/events/slug/${event.slug}/users?Sort=role`, "Sort: must be written sort"],
    [
      olga,
      `/api/organizations/${organization.id}/reports/analytics?time_range=all`,
      "time_range: must be written timeRange",
    ],
  ] as const)("refuses a known name in another spelling: %#", async (person, path, details) => {
    const reply = await world.as(person).get(path);
    expect([reply.status, reply.body]).toMatchObject([400, { code: "VALIDATION_ERROR", details }]);
  });

  test("refuses a member in another spelling, in JSON and in a form", async () => {
    const misspelled = { ...REPORT, contact_method: "phone" };
    for (const body of [misspelled, buildForm(misspelled)]) {
      const reply = await world.as(maya).post(incidents, body);
      expect([reply.status, reply.body.details]).toEqual([
        400,
        "contact_method: must be written contactMethod",
      ]);
    }
  });

  test("refuses files in JSON, and takes a list without any", async () => {
    for (const name of ["relatedFiles", "relatedFiles[]"])
      for (const files of ["photo.jpg", ["aGVsbG8="], [{ name: "a.txt", data: "aGVsbG8=" }]]) {
        const reply = await world.as(maya).post(incidents, { ...REPORT, [name]: files });
        expect([reply.status, reply.body.details]).toEqual([
          400,
          `${name}: must be sent as files, in a multipart/form-data body`,
        ]);
      }
    for (const none of [[], null]) {
      const reply = await world.as(maya).post(incidents, { ...REPORT, relatedFiles: none });
      expect([reply.status, reply.headers["x-ignored"]]).toEqual([201, undefined]);
    }
  });

  test("names no parameters to a visitor", async () => {
    expect((await world.as(nora).post(incidents, { ...REPORT, mood: 1 })).status).toBe(403);
    expect((await world.nobody.get(`${incidents}?status[]=closed`)).status).toBe(401);
  });
});

describe("an operation added later", () => {
  test("refuses unknown members and query parameters, and names them", async () => {
    const { id } = await world.report(maya, event);
    const settings = `/api/events/slug/${event.slug}/report-settings`;
    const changed = await world.as(ada).patch(settings, { showTeam: true, colour: "red" });
    expect([changed.status, changed.body.details]).toEqual([
      400,
      "colour: is not a field or parameter of this request",
    ]);
    expect((await world.nobody.get(settings)).body.reportSettings.showTeam).toBe(false);
    const odd = await world.as(ada).patch(settings, { showTeam: true, "<b>": "red" });
    expect([odd.status, odd.body.details]).toEqual([
      400,
      "a field: is not a field or parameter of this request",
    ]);
    const listed = await world.as(omar).get(`${incidents}/${id}/access?colour=red`);
    expect([listed.status, listed.body.details]).toEqual([
      400,
      "colour: is not a field or parameter of this request",
    ]);
    expect((await world.as(ada).patch(settings, { showTeam: true })).status).toBe(200);
  });
});
