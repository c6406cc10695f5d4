import { expect, test } from "vitest";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld, type TestPerson, type ReportRecord } from "#e2e/support/world.ts";

/** The rows that an open inbox fetches again when somebody changes them, and whom its filters name. */

const world = await TestWorld.build(await shareService());
const { event, foreignEvent, ada, berta, boris, maya, nora, olga, omar, rita, sam } = world;

type Access = { kind: string; actor: { id: string } };

const rowsFor = async (person: TestPerson, ...reports: ReportRecord[]) => {
  const { status, body } = await world
    .as(person)
    .get(`/inbox/rows?events=1&ids=${reports.map(({ id }) => id).join(",")}`);
  expect(status).toBe(200);
  return body.rows as (ReportRecord & { about: string; age: string; exact: string; team?: true })[];
};

test("rows are the current ones of incidents that the reader may see, and no others", async () => {
  const [mayas, ritas, foreign] = [
    await world.report(maya, event, { title: "Lantern thrown at the gate", severity: "high" }),
    await world.report(rita, event, { title: "Umbrella thrown at the gate" }),
    await world.report(boris, foreignEvent, { title: "Something of another tenant" }),
  ] as [ReportRecord, ReportRecord, ReportRecord];
  await world.move(mayas, "investigating", { assignedToUserId: omar.id });
  const all = [mayas, ritas, foreign];
  const ids = async (person: TestPerson) => (await rowsFor(person, ...all)).map(({ id }) => id).toSorted();
  const row = (await rowsFor(omar, mayas))[0];
  expect(row).toMatchObject({
    title: "Lantern thrown at the gate",
    state: "investigating",
    severity: "high",
    assignee: { id: omar.id, name: omar.name },
    team: true,
  });
  expect(row?.about).toContain(maya.name);
  for (const person of [omar, ada]) expect(await ids(person)).toEqual([mayas.id, ritas.id].toSorted());
  expect(await ids(berta)).toEqual([foreign.id]);
  expect(await ids(sam)).toEqual(all.map(({ id }) => id).toSorted());
  const own = (await rowsFor(maya, ...all))[0];
  expect(await ids(maya)).toEqual([mayas.id]);
  expect([own?.team, own?.unread, own?.badges]).toEqual([undefined, undefined, undefined]);
  for (const person of [nora, olga]) expect(await ids(person)).toEqual([]);
});

test("rows count the minutes since a report with a name, and show the quarter of an hour of one without", async () => {
  const named = await world.report(maya, event);
  const unnamed = await world.report(maya, event, { anonymous: true });
  expect((await rowsFor(omar, named))[0]).toMatchObject({
    age: expect.stringMatching(/^(just now|\d min ago)$/),
    exact: expect.stringMatching(/, \d\d:\d\d UTC$/),
  });
  expect((await rowsFor(omar, unnamed))[0]).toMatchObject({
    age: expect.stringMatching(/^\d\d:(00–\d\d:15|15–\d\d:30|30–\d\d:45|45–\d\d:00)$/),
    exact: expect.stringMatching(/, \d\d:\d\d–\d\d:\d\d UTC$/),
  });
});

test("rows are in the reader's language, and asking for them is no view of the incident", async () => {
  const report = await world.report(maya, event, { anonymous: true });
  const reply = await world
    .as(omar)
    .get(`/inbox/rows?ids=${report.id}`, { headers: { "accept-language": "de" } });
  expect(reply.body.rows[0].about).toContain("Anonym");
  expect(reply.headers["cache-control"]).toContain("no-store");
  const { body } = await world.as(ada).get(`/api/events/${event.id}/incidents/${report.id}/access`);
  // Nothing but that Ada reads the log.
  const entries = body.access.map(({ kind, actor }: Access) => [kind, actor.id]);
  expect(entries).toEqual([["log", ada.id]]);
});

test("a visitor and a request without valid ids get no rows", async () => {
  const report = await world.report(maya, event, { title: "Not for anybody who passes by" });
  const visitor = await world.nobody.get(`/inbox/rows?ids=${report.id}`);
  expect(visitor.text).not.toContain("passes by");
  expect(visitor.status).not.toBe(200);
  for (const query of ["", "?ids=", "?ids=x", `?ids=${report.id}&ids=${report.id}`])
    expect((await world.as(omar).get(`/inbox/rows${query}`)).status).toBeGreaterThanOrEqual(400);
});

test.each(["/inbox?choose=reporter&", "/inbox?choose=assigned&", "/inbox/choices?"])(
  "filters by person on %s name the people of one's own events, also one who is asked for by id, and nobody else",
  async (address) => {
    await world.report(boris, foreignEvent);
    const own = await world.report(rita, event);
    await world.move(own, "investigating", { assignedToUserId: ada.id });
    const read = async (query: string) => (await world.as(omar).get(`${address}${query}`)).text;
    const reporters = await read(`reporter=${rita.id},${boris.id}`);
    if (!address.includes("assigned")) expect(reporters).toContain(rita.name);
    expect(reporters).not.toContain(boris.name);
    const assignees = await read(`assigned=${ada.id},${berta.id}`);
    expect(assignees).toContain(ada.name);
    expect(assignees).not.toContain(berta.name);
  },
);

test("the filter by reporter says where nobody has reported with their name", async () => {
  const { slug } = await world.newEvent(world.organization, "An event of anonymous reports");
  await world.report(maya, event);
  const noteOf = async (at: string) =>
    (await world.as(sam).get(`/inbox/choices?onlyEvent=${at}`)).body.reporter[0].note;
  expect(await noteOf(slug)).toBe("No one has reported with their name yet.");
  expect(await noteOf(event.slug)).toBeUndefined();
});

test("choices of filters go to nobody who isn't signed in, and are in the reader's language", async () => {
  await world.report(rita, event);
  const visitor = await world.nobody.get("/inbox/choices");
  expect(visitor.text).not.toContain(rita.name);
  expect(visitor.status).not.toBe(200);
  const reply = await world.as(omar).get("/inbox/choices", { headers: { "accept-language": "de" } });
  expect(reply.body.status[0].ticks[0]).toMatchObject({ value: "submitted", label: "Eingegangen" });
  expect(reply.text).toContain(rita.name);
  expect(reply.headers["cache-control"]).toContain("no-store");
});
