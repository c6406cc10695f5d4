import fs from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readDeclaredQueries } from "#e2e/api/declared-queries.ts";
import { groupByOperation } from "#e2e/api/declared-routes.ts";
import { isGeneralPage } from "#e2e/api/general-pages.ts";
import { Caller, fillPath, ROWS, type Example, type Row } from "#e2e/api/routes.ts";
import { expectRefusal, summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { buildForm } from "#e2e/support/evidence.ts";
import { shareService } from "#e2e/support/service.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, TestWorld, type ReportRecord, type TestPerson } from "#e2e/support/world.ts";

/**
 * An organization that asks for the conflict check. Everything that somebody has written in its report has a word that
 * nobody may see who hasn't answered. e2e/domain/unanswered-incidents.test.ts has the lists' orders, filters and totals.
 */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { organization, event, olga, omar, ada, sam } = world;

const WORD = `secret${generateUniqueWord()}`;
const UNANSWERED = "/api/users/me/unanswered-incidents";
const REASON = "Somebody is in danger right now.";
const at = (id: string, rest = "") => `/api/events/${event.id}/incidents/${id}${rest}`;
const setCheck = (conflictCheck: boolean) =>
  world.as(olga).put(`/api/organizations/${organization.id}`, { conflictCheck });
const openInEmergency = (person: TestPerson, id: string) =>
  world.as(person).post(at(id, "/readers/me/emergency"), { reason: `${REASON} ${WORD}` });
const readCheck = async (person: TestPerson, id: string) =>
  (await world.as(person).get(at(id, "/conflict-check"))).body.conflictCheck;
const answer = (person: TestPerson, id: string, given: string) =>
  world.as(person).post(at(id, "/readers/me/answer"), { answer: given });
const listReaders = async (person: TestPerson, id: string) =>
  (await world.as(person).get(at(id, "/readers"))).body;

let reporter: TestPerson;
let xenia: TestPerson;
let earlier: { id: string };
let report: ReportRecord;
let fileId: string;
let commentId: string;

/** Everybody has answered but for omar, xenia and sam. */
beforeAll(async () => {
  reporter = await world.person("Quill Archer", { events: [[event, "Reporter"]] });
  xenia = await world.person("Xenia Moreau", {
    organization: [organization, "org_admin"],
    events: [[event, "Admin"]],
  });
  earlier = await world.report(reporter, event, { title: "Filed before the check" });
  expect((await setCheck(true)).body.organization.conflictCheck).toBe(true);
  const entries = await heed.sql<{ data: unknown }>(
    "select data from audit_entries where action = 'organization.update' and object_id = $1",
    [organization.id],
  );
  expect(entries).toMatchObject([{ data: { conflictCheck: true } }]);
  report = await world.report(reporter, event, {
    title: `A title with ${WORD}`,
    description: `What ${WORD} did.`,
    type: WORD,
    location: WORD,
    parties: WORD,
    reportedPersonName: "Jo Example",
    severity: "high",
    incidentAt: "2024-02-03T04:05:06.789Z",
    contactMethod: "phone",
    contactPhone: `+49 ${WORD}`,
  });
  expect((await answer(ada, report.id, "none")).status).toBe(204);
  const file = await world
    .as(reporter)
    .post(at(report.id, "/related-files"), buildForm({}, { name: `${WORD}.txt`, bytes: WORD }));
  fileId = file.body.relatedFiles[0].id;
  await world
    .as(ada)
    .patch(`/api/events/slug/${event.slug}/incidents/${report.id}`, { assignedResponderId: omar.id });
  const message = await world.as(ada).post(at(report.id, "/comments"), { visibility: "public", body: WORD });
  commentId = message.body.comment.id;
  await world.as(reporter).post(at(report.id, "/comments"), { visibility: "public", body: `Yes, ${WORD}` });
  await world.as(ada).post(at(report.id, "/comments"), {
    visibility: "internal",
    body: `@${omar.name}: ${WORD}`,
  });
  const conversation = await world
    .as(ada)
    .post(at(report.id, "/conversations"), { party: "witness", label: WORD });
  expect(conversation.status, conversation.text).toBe(201);
  const pin = { incidentId: report.id, eventId: event.id };
  for (const person of [omar, xenia]) await world.as(person).post("/api/users/me/pins", pin);
  await waitUntil(
    "an empty outbox",
    async () => (await heed.sql("select 1 from outbox_events")).length === 0,
  );
}, 120_000);

const QUERIES = ["", "limit=100", `search=${WORD}`, "sort=title&limit=100", "format=csv"];
const GETS = ROWS.filter(({ method }) => method === "GET");
const keepDeclared = await readDeclaredQueries(heed);

/** Every response to somebody, by path and query. */
async function readEverything(person: TestPerson): Promise<Map<string, string>> {
  const queries = [...QUERIES, `reporter=${reporter.id}`, `ids=${report.id}`];
  const caller = await Caller.over(world);
  const responses = new Map<string, string>();
  for (const row of GETS) {
    const people = row.path.includes(":userId") ? [reporter, omar, person] : [person];
    for (const { id: userId } of people)
      for (const query of keepDeclared(row, queries)) {
        const params = { ...caller.params, incidentId: report.id, fileId, commentId, userId };
        const path = fillPath(row.path, params, query);
        const { status, text } = await world.as(person).get(path, { mayRenew: true });
        responses.set(path, `${status} ${text}`);
      }
  }
  return responses;
}

/** What those can read who haven't answered, once for both tests. */
const unanswered = new Map<string, Promise<Map<string, string>>>();

function readUnanswered(name: "omar" | "sam"): Promise<Map<string, string>> {
  const responses = unanswered.get(name) ?? readEverything(world[name]);
  unanswered.set(name, responses);
  return responses;
}

/** Every page, of the report where it is about one. */
function listPages(): string[] {
  const root = path.resolve(import.meta.dirname, "../../app");
  const names: Record<string, string> = {
    slug: event.slug,
    id: report.id,
    group: "incidents",
    userId: omar.id,
  };
  return fs
    .readdirSync(root, { recursive: true })
    .map((file) => String(file))
    .filter((file) => file.endsWith("page.tsx"))
    .map((file) => `/${path.dirname(file)}`.replaceAll(/\/\(\w+\)/g, "").replace(/\/\.$/, "/") || "/")
    .map((route) => fillPage(route, names))
    .filter((page) => !isGeneralPage(page));
}

const fillPage = (route: string, names: Record<string, string>): string =>
  route.replaceAll(/\[(\w+)\]/g, (_, name: string) =>
    route.startsWith("/orgs/") && name === "slug" ? organization.slug : (names[name] ?? NOTHING),
  );
const NOTHING = "00000000-0000-4000-8000-000000000000";

/** The entries of a list in JSON, or the lines of one in CSV. */
function listEntries(response: string): string[] {
  const text = response.slice(4);
  if (!text.startsWith("{")) return text.split("\n");
  const body = JSON.parse(text) as Record<string, unknown>;
  return Object.values(body)
    .filter((one) => Array.isArray(one))
    .flat()
    .map((entry) => JSON.stringify(entry));
}

describe("somebody who hasn't answered", () => {
  test.each(["omar", "sam"] as const)(
    "reads no content by any GET route: %s",
    async (name) => {
      const responses = await readUnanswered(name);
      expect(responses.size).toBeGreaterThan(200);
      // Something to leak: they are notified of it.
      const notified = responses.get("/api/users/me/notifications?limit=100");
      expect(notified?.includes(report.id) || name === "sam").toBe(true);
      const leaks = [...responses].filter(([, text]) => text.includes(WORD) || text.includes("2024-02-03"));
      // A filter by a word may repeat the word that was asked for.
      expect(leaks.filter(([path]) => !path.includes(WORD)).map(([path]) => path)).toEqual([]);
      for (const [path, text] of leaks)
        expect(text.replaceAll(`search=${WORD}`, ""), path).not.toContain(WORD);
    },
    300_000,
  );

  test.each(["omar", "sam"] as const)(
    "doesn't learn who reported: %s",
    async (name) => {
      const responses = await readUnanswered(name);
      const both = [...responses].filter(
        ([path, text]) =>
          text.includes(report.id) && text.includes(reporter.id) && !path.includes("reporter="),
      );
      for (const [path, text] of both) {
        // The reporter of the earlier report is named, which has no conflict check; an entry about this one has no name.
        for (const one of listEntries(text))
          expect(one.includes(report.id) && one.includes(reporter.id), `${path} ${one}`).toBe(false);
      }
      const ofReporter = [...responses].filter(
        ([path]) =>
          path.includes(`users/${reporter.id}`) ||
          (path.includes(`reporter=${reporter.id}`) && /\/incidents[/?]/.test(path)),
      );
      expect(ofReporter.length).toBeGreaterThan(20);
      for (const [path, text] of ofReporter)
        if (!path.includes(report.id) && !path.includes("summary"))
          expect(text, path).not.toContain(report.id);
    },
    300_000,
  );

  const readPage = async (person: TestPerson, page: string, headers: Record<string, string>) => {
    const cookie = world.as(person).cookie ?? "";
    const response = await fetch(heed.url + page, { headers: { cookie, ...headers }, redirect: "manual" });
    return response.text();
  };

  test("reads no content on any page, nor in the data that each is rendered from", async () => {
    const own = `/e/${event.slug}/i/${report.id}`;
    // Without its parameter, the framework redirects.
    const readData = (person: TestPerson, page: string) => readPage(person, `${page}?_rsc`, { rsc: "1" });
    for (const page of listPages()) expect(await readData(xenia, page), page).not.toContain(WORD);
    const html = await readPage(xenia, own, { accept: "text/html" });
    expect(html).toContain("Before you open this incident");
    expect(html).not.toContain(WORD);
    expect(await readData(ada, own)).toContain(WORD);
  }, 120_000);

  test("finds it in a list of its own with time, severity, status, event and the reported person's name alone", async () => {
    const known = {
      id: report.id,
      event: { id: event.id, name: event.name, slug: event.slug },
      state: "submitted",
      severity: "high",
      urgent: false,
      createdAt: report.createdAt,
      reportedPersonName: "Jo Example",
    };
    const { incidents, pagination } = (await world.as(omar).get(`${UNANSWERED}?event=${event.slug}`)).body;
    expect(incidents.find(({ id }: { id: string }) => id === report.id)).toEqual(known);
    expect(pagination.total).toBe(incidents.length);
    expect((await readCheck(omar, report.id)).incident).toEqual(known);
    const jump = (await world.as(omar).get(`/api/users/me/jump?search=${report.id}`)).body;
    expect(jump.incidents).toEqual([]);
    const others = [ada, reporter, world.olga, world.bruno];
    for (const person of others)
      expect((await world.as(person).get(UNANSWERED)).text).not.toContain(report.id);
    expect((await world.as(ada).get(at(report.id))).body.incident.title).toContain(WORD);
  });

  test("is refused everything else of the incident, to read and to write", async () => {
    const { params } = await Caller.over(world);
    const isOpen = /\/conflict-check$|\/readers\/me\//;
    const rows = ROWS.filter(({ path }) => /^\/api\/events\/.*:incidentId/.test(path) && !isOpen.test(path));
    expect(rows.length).toBeGreaterThan(50);
    await setCheck(false);
    // By id and by slug it is one operation, for which one example will do.
    const examples: [row: Row, example: Example | undefined][] = [];
    for (const alike of groupByOperation(rows)) {
      const example = await alike[0]?.example?.(world, "sam");
      for (const row of alike) examples.push([row, example]);
    }
    await setCheck(true);
    for (const [row, example] of examples) {
      const own = { incidentId: report.id, fileId, commentId };
      const path = fillPath(row.path, { ...params, ...example?.params, ...own }, example?.query);
      for (const person of [omar, xenia, sam]) {
        const reply = await world.as(person).send(row.method, path, example?.body, { mayRenew: true });
        const isRefused = reply.body?.code === "CONFLICT_CHECK_REQUIRED" && reply.status === 403;
        // A confirmation of an intake and an idempotent upload read their body first.
        expect(isRefused || reply.status === 400, `${row.method} ${path} ${reply.text}`).toBe(true);
      }
    }
  }, 120_000);

  test("counts it in a handover without listing it, and can hand it over", async () => {
    const leaving = await world.person("Leaving Responder", { events: [[event, "Responder"]] });
    const assign = (id: string) =>
      world
        .as(ada)
        .patch(`/api/events/slug/${event.slug}/incidents/${id}`, { assignedResponderId: leaving.id });
    const open = await world.report(world.maya, event, { title: `One for ${WORD}` });
    for (const person of [ada, xenia]) await answer(person, open.id, "none");
    const waiting = await world.report(world.maya, event, { title: `Another for ${WORD}` });
    await answer(ada, waiting.id, "none");
    for (const { id } of [open, waiting]) expect((await assign(id)).status).toBe(200);
    const path = `/api/events/slug/${event.slug}/users/${leaving.id}`;
    const { incidents, counts, pagination } = (await world.as(xenia).get(`${path}/holdings`)).body;
    expect(incidents.map(({ id }: { id: string }) => id)).toEqual([open.id]);
    expect([pagination.total, counts.submitted]).toEqual([1, 2]);
    const page = await world.as(xenia).get(`/e/${event.slug}/team/${leaving.id}`);
    expect(page.text).toContain("One report waits for your answer");
    const given = { toUserId: xenia.id, incidentIds: [open.id, waiting.id] };
    expectRefusal(await world.as(xenia).post(`${path}/handover`, given), "403 FORBIDDEN");
    const handover = await world.as(xenia).post(`${path}/handover`, { toUserId: null });
    expect(handover.body.message).toBe("2 incidents are now unassigned.");
    await world.revoke(leaving, event);
  });
});

describe("an answer", () => {
  const fileReport = () => world.report(world.maya, event, { title: `Another with ${WORD}` });
  const titleFor = async (person: TestPerson, id: string) =>
    (await world.as(person).get(at(id))).body.incident?.title;

  test("opens the incident; `soft` is shown to the team, and `none` isn't", async () => {
    const { id } = await fileReport();
    expect((await answer(ada, id, "none")).status).toBe(204);
    expect((await answer(omar, id, "soft")).status).toBe(204);
    expect(await titleFor(omar, id)).toContain(WORD);
    expect((await world.as(omar).get(at(id, "/history"))).status).toBe(200);
    expect((await readCheck(ada, id)).status).toBe("none");
    const { readers } = await listReaders(ada, id);
    const given = new Map([
      [ada.id, "none"],
      [omar.id, "soft"],
    ]);
    for (const one of readers) expect(one.answer, one.person.name).toBe(given.get(one.person.id) ?? null);
    expect(readers.map((one: any) => one.person.id)).toEqual(expect.arrayContaining([...given.keys()]));
    expect((await world.as(xenia).get(at(id, "/conflict-check"))).body.conflictCheck).toEqual({
      status: "unanswered",
      incident: expect.objectContaining({ id, reportedPersonName: null }),
    });
  });

  test("counts as a view only once the incident was opened with it", async () => {
    const { id } = await fileReport();
    await answer(ada, id, "none");
    await world.as(ada).get(at(id));
    const listReaderIds = async () =>
      (await world.as(ada).get(at(id, "/access?kind=view"))).body.access.map((one: any) => one.actor.id);
    const countForReporter = async () => (await world.as(world.maya).get(at(id, "/access"))).body.readBy;
    for (const person of [omar, xenia, sam]) expect(await titleFor(person, id)).toBeUndefined();
    expect((await world.as(omar).get(`/e/${event.slug}/i/${id}`)).status).toBe(200);
    expect((await answer(xenia, id, "hard")).status).toBe(204);
    expect([await listReaderIds(), await countForReporter()]).toEqual([[ada.id], 1]);
    await answer(omar, id, "none");
    await titleFor(omar, id);
    expect([await listReaderIds(), await countForReporter()]).toEqual([[omar.id, ada.id], 2]);
  });

  // e2e/domain/answered-readers.test.ts has who is asked again.
  test("hard hides it, but not from the last reader", async () => {
    const { id } = await fileReport();
    expect((await answer(ada, id, "none")).status).toBe(204);
    for (const person of [xenia, ada]) {
      expect((await answer(person, id, "hard")).status).toBe(204);
      expect((await world.as(person).get(at(id))).status).toBe(404);
      expect((await answer(person, id, "none")).status).toBe(404);
    }
    const refused = await answer(omar, id, "hard");
    expect([refused.status, refused.body.code]).toEqual([400, "VALIDATION_ERROR"]);
    expect(await titleFor(omar, id)).toBeUndefined();
  });

  test("isn't required of the reporter, for earlier reports, or of people outside the team", async () => {
    const { id } = await world.report(omar, event, { title: "My own report here" });
    expect(await titleFor(omar, id)).toBe("My own report here");
    expect((await answer(omar, id, "none")).body.code).toBe("INVALID_STATE_TRANSITION");
    expect((await answer(omar, earlier.id, "hard")).body.code).toBe("INVALID_STATE_TRANSITION");
    const { incident } = (await world.as(omar).get(at(earlier.id))).body;
    expect(incident).toMatchObject({ title: "Filed before the check", conflictCheck: null });
    expect((await answer(reporter, report.id, "none")).status).toBe(403);
    expect((await answer(world.rita, report.id, "none")).status).toBe(404);
  });

  test("stays needed when the option is turned off, and the next report is open", async () => {
    const { id } = await fileReport();
    await setCheck(false);
    try {
      expect(await titleFor(omar, id)).toBeUndefined();
      const open = await world.report(world.maya, event, { title: "Filed while it was off" });
      expect(await titleFor(omar, open.id)).toBe("Filed while it was off");
    } finally {
      await setCheck(true);
    }
  });

  test("is assumed for the team member who took the report for somebody, not for the witness whom they name", async () => {
    const body = {
      title: `Taken with ${WORD}`,
      description: WORD,
      channel: "in_person",
      witnessId: ada.id,
    };
    const taken = await world.as(omar).post(`/api/events/slug/${event.slug}/intakes`, body);
    expect(taken.body.incident.title).toContain(WORD);
    expect(await titleFor(omar, taken.body.incident.id)).toContain(WORD);
    expect(await titleFor(ada, taken.body.incident.id)).toBeUndefined();
  });

  test("of an anonymous reporter on the team isn't presumed", async () => {
    const body = { title: `Unsigned with ${WORD}`, description: WORD, anonymous: true };
    const { incident } = (await world.as(omar).post(`/api/events/${event.id}/incidents`, body)).body;
    expect(incident.title).toContain(WORD);
    expect(await titleFor(omar, incident.id)).toBeUndefined();
    const own = "incident_id = $1 and user_id = $2";
    expect(await heed.rows("incident_readers", own, [incident.id, omar.id])).toBe(0);
  });
});

describe("an opening in an emergency", () => {
  test("needs a reason, which the team finds in the access log, and is notified to the team and the reporter", async () => {
    const { id } = await world.report(reporter, event);
    expect((await world.as(omar).post(at(id, "/readers/me/emergency"), {})).status).toBe(400);
    expect((await openInEmergency(omar, id)).status).toBe(200);
    expect((await world.as(omar).get(at(id))).body.incident.conflictCheck).toBe("emergency");
    expect((await openInEmergency(omar, id)).body.code).toBe("INVALID_STATE_TRANSITION");
    await answer(ada, id, "none");
    const { access } = (await world.as(ada).get(at(id, "/access?kind=emergency"))).body;
    expect(access).toMatchObject([
      { kind: "emergency", actor: { id: omar.id }, reason: `${REASON} ${WORD}` },
    ]);
    const entries = await heed.sql(
      "select action, data from audit_entries where object_id = $1 and action = 'incident.openInEmergency'",
      [id],
    );
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries)).not.toContain(REASON);
    const { readers, emergencies } = await listReaders(ada, id);
    expect(emergencies).toMatchObject([{ person: { id: omar.id }, reason: `${REASON} ${WORD}` }]);
    const find = (person: TestPerson) => readers.find((one: any) => one.person.id === person.id);
    expect(find(ada)).toMatchObject({ access: "full", answer: "none", openedUntil: null });
    expect(find(omar)).toMatchObject({ access: "ask", openedUntil: expect.any(String) });
    expect(find(xenia)).toMatchObject({ access: "ask", openedUntil: null });
    // The reporter learns that somebody opened it, but neither who nor why, nor who has answered.
    const forReporter = await listReaders(reporter, id);
    expect(forReporter).toMatchObject({ emergencies: [] });
    expect(forReporter.readers).toHaveLength(readers.length);
    for (const one of forReporter.readers)
      expect(one).toMatchObject({ access: "full", answer: null, openedUntil: null });
    const { history } = (await world.as(reporter).get(at(id, "/history"))).body;
    expect(history.filter(({ action }: any) => action === "emergency")).toMatchObject([{ actor: null }]);
    for (const person of [ada, xenia, reporter])
      await waitUntil(`the notification of ${person.name}`, async () => {
        const { notifications } = (await world.as(person).get("/api/users/me/notifications")).body;
        return notifications.some((one: any) => one.kind === "incident.emergency" && one.incidentId === id);
      });
  });

  test("decides nothing about who else reads", async () => {
    const { id } = await world.report(reporter, event);
    const guest = await world.person("Gia Guest", { events: [[event, "Responder"]] });
    await answer(ada, id, "none");
    expect((await world.as(ada).put(at(id, `/readers/${guest.id}`), { access: "none" })).status).toBe(200);
    expect((await openInEmergency(xenia, id)).status).toBe(200);
    expect((await world.as(xenia).put(at(id, `/readers/${guest.id}`), { access: "full" })).status).toBe(403);
    expect((await world.as(xenia).put(at(id, `/readers/${omar.id}`), { access: "none" })).status).toBe(403);
    expect((await world.as(xenia).delete(at(id, "/readers"))).status).toBe(403);
    expect(await listReaders(xenia, id)).toMatchObject({
      canEndList: false,
      hiddenFrom: [{ person: { id: guest.id }, canLetIn: false }],
    });
    await answer(xenia, id, "soft");
    expect((await listReaders(xenia, id)).canEndList).toBe(true);
    await world.revoke(guest, event);
  });

  // e2e/domain/readers-in-statements.test.ts has who reads it then.
  test("ends after 24 hours, and can be repeated then; an answer stays", async () => {
    const { id } = await world.report(reporter, event, { title: `To close again, with ${WORD}` });
    await openInEmergency(omar, id);
    await answer(ada, id, "none");
    await heed.sql(
      "update incident_readers set opened_until = opened_until - interval '25 hours' where incident_id = $1",
      [id],
    );
    expect((await world.as(omar).get(at(id))).body.code).toBe("CONFLICT_CHECK_REQUIRED");
    expect((await readCheck(omar, id)).status).toBe("unanswered");
    expect((await world.as(ada).get(at(id))).text).toContain(WORD);
    expect((await openInEmergency(omar, id)).status).toBe(200);
    expect((await listReaders(omar, id)).emergencies).toHaveLength(2);
    expect((await openInEmergency(omar, id)).body.code).toBe("INVALID_STATE_TRANSITION");
  });
});

test("no token reads content under the check, not even one of whoever opened it in an emergency", async () => {
  const { id } = await world.report(world.maya, event, { title: `Something ${WORD}` });
  expect((await openInEmergency(omar, id)).status).toBe(200);
  expect((await world.as(omar).get(at(id))).text).toContain(WORD);
  const wanted = { name: "Reader", scope: "read", currentPassword: PASSWORD };
  for (const { status, body } of [
    await world.as(omar).post("/api/users/me/tokens", wanted),
    await world
      .as(xenia)
      .post(`/api/organizations/${organization.id}/tokens`, { ...wanted, eventId: event.id }),
  ]) {
    expect(status).toBe(201);
    const headers = { authorization: `Bearer ${body.secret ?? body.token}` };
    for (const rest of ["", "/history", "/comments"])
      expect(summarizeResponse(await world.nobody.get(at(id, rest), { headers }))).toEqual([
        403,
        "CONFLICT_CHECK_REQUIRED",
      ]);
    for (const path of [
      `/api/events/${event.id}/incidents?limit=100`,
      "/api/users/me/incidents?limit=100",
      `/api/users/me/incidents/export?ids=${id}`,
    ])
      expect((await world.nobody.get(path, { headers })).text, path).not.toContain(id);
  }
});

test("a list that withholds the texts of an incident isn't a view of it", async () => {
  const checked = await world.report(reporter, event, { title: "Withheld in lists" });
  await answer(ada, checked.id, "none");
  for (const person of [xenia, ada])
    await world.as(person).get(`/api/events/slug/${event.slug}/incidents?limit=100`);
  const listedBy = (person: TestPerson) =>
    heed.rows("incident_access", "incident_id = $1 and actor_id = $2 and kind = 'list'", [
      checked.id,
      person.id,
    ]);
  expect([await listedBy(xenia), await listedBy(ada)]).toEqual([0, 1]);
});

test("changing the name of the reported person leaves both names in the team's history, and the reporter's own in their export", async () => {
  const named = await world.report(reporter, event, {
    title: "To name again",
    reportedPersonName: "Jo Example",
  });
  await answer(omar, named.id, "none");
  const path = at(named.id, "/conflict-check/reported-person");
  for (const name of ["Jo Sample", "Jo Sample"])
    expect((await world.as(omar).put(path, { name })).status).toBe(204);
  const readNames = async (person: TestPerson) => {
    const { history } = (await world.as(person).get(at(named.id, "/history"))).body;
    return history
      .filter(({ action }: { action: string }) => action === "reportedPerson")
      .map(({ from, to }: { from: string; to: string }) => [from, to]);
  };
  expect(await readNames(omar)).toEqual([["Jo Example", "Jo Sample"]]);
  expect(await readNames(reporter)).toEqual([]);
  const data = (await world.as(reporter).get("/api/users/me/export")).body;
  expect(data.reports.find(({ id }: { id: string }) => id === named.id)).toMatchObject({
    reportedPersonName: "Jo Example",
  });
});
