import { describe, expect, test } from "vitest";
import { PlainBrowser } from "#e2e/support/plain-browser.ts";
import { shareService } from "#e2e/support/service.ts";
import {
  checkBoolean,
  checkCount,
  checkExactly,
  checkList,
  checkNullable,
  checkRecord,
  checkText,
  checkTime,
  checkUuid,
  expectShape,
  PAGINATION,
  PLACE,
  STATES,
} from "#e2e/support/shapes.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { PASSWORD, TestWorld, type TestPerson } from "#e2e/support/world.ts";

/** The people named in incidents, over the API and on the pages (contract 7.22). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { ada, event, maya, omar } = world;

const ROLE = checkExactly("reported", "harmed", "witness");
const REPORTS_OF_PERSON = {
  count: checkCount,
  newest: checkList(
    checkRecord({
      id: checkUuid,
      title: checkText,
      state: checkExactly(...STATES),
      createdAt: checkTime,
      resolvedAt: checkNullable(checkTime),
      event: PLACE,
    }),
  ),
};
const CODE_NAMED = { personId: checkUuid, codeName: checkText };
const PERSON = checkRecord({
  ...CODE_NAMED,
  id: checkUuid,
  name: checkText,
  role: ROLE,
  handles: checkList(checkText),
  addresses: checkList(checkText),
  joined: checkBoolean,
  otherReports: checkRecord({ ...REPORTS_OF_PERSON, earlier: checkCount }),
  samePeople: checkList(checkRecord(CODE_NAMED)),
  createdAt: checkTime,
  updatedAt: checkTime,
});

const peopleOf = ({ id }: { id: string }, at = event) => `/api/events/${at.id}/incidents/${id}/people`;

async function add(report: { id: string }, person: object = {}, by: TestPerson = omar) {
  const body = { name: generateUniqueWord(), role: "reported", ...person };
  const reply = await world.as(by).post(peopleOf(report), body);
  expect(reply.status, reply.text).toBe(201);
  expectShape(reply.body, { person: PERSON });
  return reply.body.person;
}

async function open(person: TestPerson, path: string): Promise<PlainBrowser> {
  const browser = new PlainBrowser(heed.url, world.as(person).cookie);
  await browser.open(path);
  return browser;
}

describe("a person of an incident", () => {
  test("is named, changed, joined, split and removed by the team, and never shown to the reporter", async () => {
    const [earlier, report] = [await world.report(maya, event), await world.report(maya, event)];
    const name = `Lukasz ${generateUniqueWord()}`;
    const first = await add(earlier, {
      name,
      handles: [" @Heron ", "@Heron"],
      addresses: ["Zak@Example.org"],
    });
    expect(first).toMatchObject({ handles: ["@Heron"], addresses: ["zak@example.org"] });
    const second = await add(report, { name: name.toUpperCase() });
    const { personId, codeName } = first;
    expect(second).toMatchObject({
      otherReports: { count: 1, earlier: 1, newest: [{ id: earlier.id }] },
      samePeople: [{ personId, codeName }],
    });
    const path = `${peopleOf(report)}/${second.id}`;
    const client = world.as(ada);
    const joined = await client.post(`${path}/join`, { personId });
    expectShape(joined.body, { person: PERSON });
    expect(joined.body.person).toMatchObject({ personId, codeName, joined: true, samePeople: [] });
    expect((await client.post(`${path}/split`)).body.person).toEqual(second);
    expect((await client.post(`${path}/split`)).body.code).toBe("CONFLICT");
    const stale = { headers: { "if-match": '"2020-01-01T00:00:00.000Z"' } };
    expect((await client.patch(path, { role: "witness" }, stale)).body.code).toBe("CONFLICT");
    expect((await client.patch(path, { role: "witness" })).body.person.role).toBe("witness");
    const listed = await world.as(omar).get(peopleOf(report));
    expectShape(listed.body, { people: checkList(PERSON) });
    const asReporter = world.as(maya);
    const at = peopleOf(report).replace(/\/people$/, "");
    expect((await asReporter.get(peopleOf(report))).status).toBe(403);
    expect((await asReporter.patch(path, { role: "witness" })).status).toBe(404);
    for (const rest of ["", "/history", "/comments"])
      expect((await asReporter.get(at + rest)).text).not.toMatch(
        new RegExp(`${name}|${second.codeName}`, "i"),
      );
    expect((await world.as(omar).get(`${at}/history`)).text).toContain(second.codeName);
    expect((await client.delete(path)).status).toBe(204);
    expect((await client.get(peopleOf(report))).body).toEqual({ people: [] });
  });

  test.each([
    [{ name: " " }, "name"],
    [{ name: "x".repeat(201) }, "name"],
    [{ role: "suspect" }, "role"],
    [{ addresses: ["not an address"] }, "addresses"],
    [{ handles: Array.from({ length: 21 }, (_, n) => `h${n}`) }, "handles"],
  ])("isn't named by %j", async (wrong, field) => {
    const report = await world.report(maya, event);
    const body = { name: "Somebody", role: "reported", ...wrong };
    const refused = await world.as(omar).post(peopleOf(report), body);
    expect([refused.status, refused.body.code]).toEqual([400, "VALIDATION_ERROR"]);
    expect(refused.body.details).toContain(field);
  });

  test("isn't named twice in the same incident", async () => {
    const report = await world.report(maya, event);
    await add(report, { name: "Jürgen Example" });
    const again = await world.as(omar).post(peopleOf(report), { name: "juergen example", role: "witness" });
    expect([again.status, again.body.details]).toEqual([
      400,
      "name: is already among the people of this incident",
    ]);
  });

  test("is found across the team's events, and by nobody who isn't on them", async () => {
    const name = generateUniqueWord();
    const place = await world.newEvent(world.organization);
    await world.grant(omar, place, "Responder");
    await world.grant(maya, place, "Reporter");
    const elsewhere = await world.report(maya, place);
    const there = await world.as(omar).post(peopleOf(elsewhere, place), { name, role: "reported" });
    const report = await world.report(maya, event);
    expect(await add(report, { name })).toMatchObject({ otherReports: { count: 1 }, samePeople: [{}] });
    const { body } = await world.as(ada).get(peopleOf(report));
    expect(body.people).toMatchObject([{ otherReports: { count: 0 }, samePeople: [] }]);
    const shown = (person: TestPerson) =>
      world.as(person).post(`/api/people/${there.body.person.personId}/name`);
    expect((await shown(ada)).status).toBe(404);
    expect((await shown(omar)).body).toEqual({ names: [name] });
  });

  test("goes with the account's other tokens: a token that reads names nobody, one that writes does", async () => {
    const report = await world.report(maya, event);
    const create = async (scope: string) => {
      const body = { name: scope, scope, currentPassword: PASSWORD };
      return (await world.as(omar).post("/api/users/me/tokens", body)).body;
    };
    const [read, write] = [await create("read"), await create("write")];
    const send = (token: string, method: "GET" | "POST") =>
      heed
        .visitor()
        .send(method, peopleOf(report), method === "GET" ? undefined : { name: "One", role: "harmed" }, {
          headers: { authorization: `Bearer ${token}` },
        });
    expect((await send(read.token, "GET")).status).toBe(200);
    expect((await send(read.token, "POST")).body.code).toBe("TOKEN_SCOPE");
    expect((await send(write.token, "POST")).status).toBe(201);
  });
});

test("the list of people has no names, and pages", async () => {
  const name = `Unlisted ${generateUniqueWord()}`;
  for (let n = 0; n < 3; n += 1) await add(await world.report(maya, event), { name: `${name} ${n}` });
  const first = await world.as(omar).get("/api/people?limit=2");
  expectShape(first.body, {
    people: checkList(
      checkRecord({
        ...CODE_NAMED,
        organization: PLACE,
        roles: checkList(ROLE),
        reports: checkRecord(REPORTS_OF_PERSON),
      }),
    ),
    pagination: PAGINATION,
  });
  expect(first.body.people).toHaveLength(2);
  expect(first.body.pagination).toEqual({ page: 1, limit: 2, total: 3, totalPages: 2 });
  expect(first.text).not.toContain("Unlisted");
  expect((await world.as(omar).get("/api/people?limit=2&page=2")).body.people).not.toHaveLength(0);
  for (const person of [maya, world.olga, world.bruno])
    expect((await world.as(person).get("/api/people")).body.people).toEqual([]);
  expect((await world.as(omar).get("/api/people?search=x")).status).toBe(400);
});

describe("without script", () => {
  test("somebody is named on an incident's page, who was named before", async () => {
    const name = `Łukasz ${generateUniqueWord()}`;
    const earlier = await world.move(await world.report(maya, event), "resolved");
    await add(earlier, { name });
    const report = await world.report(maya, event);
    const browser = await open(omar, `/e/${event.slug}/i/${report.id}`);
    await browser.follow("Add a person…");
    const adding = () => browser.part("form", "Add person");
    await adding().fill("Email addresses", "nonsense").fill("Name", name).press("Add person");
    expect(browser.alert).toContain("Email addresses must be an email address");
    expect(adding().valueOf("Name")).toBe(name);
    await adding().fill("Email addresses", "one@example.org\r\ntwo@example.org").press("Add person");
    expect(browser.text).toContain("one@example.org");
    expect(browser.text).toMatch(/1 earlier report, resolved in \w+ 20\d\d/);
    const [{ samePeople }] = (await world.as(omar).get(peopleOf(report))).body.people;
    await browser.press(new RegExp(`Join with .*${samePeople[0].codeName}`));
    expect(browser.text).toContain("Joined with people in other reports.");
    await browser.press("Not the same person: split");
    expect(browser.text).not.toContain("Joined with people");
    await browser.follow("Add a person…");
    await adding().fill("Name", name).press("Add person");
    expect(browser.alert).toContain("already among the people");
  });

  test("a name is shown on the page of people when it is asked for, and stands in the audit log by ids", async () => {
    const name = `Shown ${generateUniqueWord()}`;
    const report = await world.report(maya, event);
    const { personId, codeName } = await add(report, { name });
    const browser = await open(omar, "/people");
    expect(browser.text).toContain(codeName);
    expect(browser.html).not.toContain(name);
    await browser.form(`Show the name of ${codeName}`).press("Show name");
    expect(browser.html).toContain(name);
    expect(browser.path).toBe("/people");
    await browser.open("/people");
    expect(browser.html).not.toContain(name);
    const entries = await heed.sql<{ data: object }>(
      "select data from audit_entries where action = 'person.showName' and object_id = $1",
      [personId],
    );
    expect(entries).toEqual([{ data: { incidentId: report.id } }]);
  });
});
