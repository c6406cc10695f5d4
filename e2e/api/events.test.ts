import { describe, expect, test } from "vitest";
import { buildForm, createPng } from "#e2e/support/evidence.ts";
import { shareService } from "#e2e/support/service.ts";
import { watchStoredFiles } from "#e2e/support/stored-files.ts";
import { EVENT, checkExactly, expectShape, checkList } from "#e2e/support/shapes.ts";
import { countOutcomes, summarizeResponse, runConcurrently } from "#e2e/support/concurrent-requests.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld, type EventRef, type TestPerson } from "#e2e/support/world.ts";

/**
 * Events themselves (contract 6). Their people, invites and reports have files of their own; what a change takes is in
 * lib/events/schema.test.ts.
 */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, foreignEvent, nobody, organization, otherEvent } = world;
const { ada, berta, ines, maya, nora, olga, omar, sam } = world;

const byId = (of: { id: string } = event) => `/api/events/${of.id}`;
const bySlug = (of: { slug: string } = event) => `/api/events/slug/${of.slug}`;

/** An event that ada is Admin of. */
async function ours(): Promise<EventRef> {
  const made = await world.newEvent(organization);
  await world.grant(ada, made, "Admin");
  return made;
}

const change = (of: EventRef, body: unknown, actor: TestPerson = ada) =>
  world.as(actor).patch(bySlug(of), body);
const shown = async (of: { id: string }) => (await world.as(sam).get(byId(of))).body.event;

/** Every field of the PATCH, with a value and how it comes back. */
const FIELDS: [string, unknown, unknown?][] = [
  ["name", "  Riverside Late Spring ", "Riverside Late Spring"],
  ["description", "In the old mill.\n\nBring a lantern."],
  ["logo", "https://riverside.example.org/logo.png"],
  ["startDate", "2026-05-01T09:00:00+02:00", "2026-05-01T07:00:00.000Z"],
  ["endDate", "2026-05-03", "2026-05-03T00:00:00.000Z"],
  ["timeZone", "america/new york", "America/New_York"],
  ["website", "https://riverside.example.org/spring"],
  ["codeOfConduct", "Be kind.\n\n- Listen\n- Ask"],
  ["contactEmail", " Team@Riverside.Example.ORG ", "team@riverside.example.org"],
  ["isActive", false],
];

describe("view", () => {
  test("by slug is for anybody, and by id the same for its Admins", async () => {
    const open = await nobody.get(bySlug());
    expect(open.status, open.text).toBe(200);
    expectShape(open.body, { event: EVENT });
    expect(open.body.event).toMatchObject({ ...event, isActive: true, logo: null });
    for (const [person, where] of [
      [ada, byId()],
      [sam, byId()],
      [ada, `/api/events/${event.id.toUpperCase()}`],
      [ada, `/events/${event.id}`],
      [nora, `/events/slug/${event.slug}`],
    ] as const)
      expect((await world.as(person).get(where)).body).toEqual(open.body);
  });

  test("of a missing event is 404 for everybody", async () => {
    for (const client of [nobody, world.as(sam)])
      for (const path of [
        "/no-such-event",
        `/${event.slug.toUpperCase()}`,
        "/%00",
        `/${event.slug}%20/my-roles`,
      ])
        expect((await client.get(`/api/events/slug${path}`)).status, path).toBe(
          client === nobody && path.endsWith("/my-roles") ? 401 : 404,
        );
  });

  test("of an event that has ended stays, says so, and its members can still report", async () => {
    const over = await ours();
    const reporter = await world.person("Late Reporter", { events: [[over, "Reporter"]] });
    await change(over, { isActive: false });
    expect((await nobody.get(bySlug(over))).body.event.isActive).toBe(false);
    expect((await world.report(reporter, over)).eventId).toBe(over.id);
  });
});

describe("change", () => {
  test("of each field leaves the rest, of all at once leaves nothing, and null or blank clears what may be", async () => {
    const of = await ours();
    let before = await shown(of);
    for (const [field, value, storedValue = value] of FIELDS) {
      const reply = await change(of, { [field]: value });
      expect(reply.status, reply.text).toBe(200);
      expectShape(reply.body, { event: EVENT });
      const after = reply.body.event;
      expect(after).toEqual({ ...before, [field]: storedValue, updatedAt: after.updatedAt });
      expect(after.updatedAt > before.updatedAt).toBe(true);
      before = after;
    }
    expect((await nobody.get(bySlug(of))).body.event).toEqual(before);
    const may = FIELDS.filter(([field]) => !["name", "isActive"].includes(field));
    for (const nothing of [null, "  "]) {
      const cleared = await change(of, Object.fromEntries(may.map(([field]) => [field, nothing])));
      expect(cleared.body.event).toMatchObject(Object.fromEntries(may.map(([field]) => [field, null])));
      const body = Object.fromEntries(FIELDS.map(([field, value]) => [field, value]));
      const all = await change(of, { ...body, newSlug: of.slug });
      expect(all.body.event).toEqual({ ...before, updatedAt: all.body.event.updatedAt });
    }
  });

  test("that is refused stores nothing of it", async () => {
    const of = await ours();
    const before = await shown(of);
    const reply = await change(of, { description: "Not to be stored.", timeZone: "Mars/Olympus" });
    expect(summarizeResponse(reply)).toEqual([400, "VALIDATION_ERROR"]);
    expect(reply.body.details).toMatch(/^timeZone: \w+/);
    expect(await shown(of)).toEqual(before);
  });

  test("is in the audit log, with the right by which it was made", async () => {
    const of = await ours();
    await change(of, { name: "By an Admin" });
    await change(of, { name: "By the SystemAdmin" }, sam);
    const entries = await heed.sql(
      "select actor_id, by_right, data::text from audit_entries where object_id = $1 and action = 'event.update' order by seq",
      [of.id],
    );
    expect(entries).toMatchObject([
      { actor_id: ada.id, by_right: "event:Admin" },
      { actor_id: sam.id, by_right: "SystemAdmin" },
    ]);
    // Ids and names of fields only, never what they hold.
    for (const { data } of entries) expect(data).not.toContain("By ");
  });

  test("by somebody who concurrently loses the right comes before that or is refused", async () => {
    const of = await ours();
    const former = await world.person("Former Admin", { events: [[of, "Admin"]] });
    const [replies] = await Promise.all([
      runConcurrently(20, (index) => change(of, { name: `Name ${index}` }, former)),
      world.as(ada).delete(`${byId(of)}/roles`, { userId: former.id, roleName: "Admin" }),
    ]);
    const made = replies.filter(({ status }) => status === 200).length;
    const refused = made < 20 ? { "403 FORBIDDEN": 20 - made } : {};
    expect(countOutcomes(replies)).toEqual({ ...(made > 0 && { 200: made }), ...refused });
    const where = "action = 'event.update' and actor_id = $1";
    expect(await heed.rows("audit_entries", where, [former.id])).toBe(made);
  });
});

test("If-Match refuses a stale change, and accepts a current one", async () => {
  const made = await ours();
  const changeAs = (description: string, updatedAt: string) =>
    world.as(ada).patch(bySlug(made), { description }, { headers: { "if-match": `"${updatedAt}"` } });
  const before = await shown(made);
  expect((await changeAs("First", before.updatedAt)).status).toBe(200);
  expect(summarizeResponse(await changeAs("Second", before.updatedAt))).toEqual([409, "CONFLICT"]);
  const first = await shown(made);
  expect(first.description).toBe("First");
  expect((await changeAs("Second", first.updatedAt)).body.event.description).toBe("Second");
});

describe("a new slug", () => {
  test("takes the event to its new address, and frees the old one", async () => {
    const of = await ours();
    const report = await world.report(ada, of);
    const newSlug = `moved-${generateUniqueWord()}`;
    const reply = await change(of, { newSlug });
    expect([reply.status, reply.body.event.slug]).toEqual([200, newSlug]);
    expect((await nobody.get(bySlug({ slug: newSlug }))).body.event.id).toBe(of.id);
    expect(summarizeResponse(await nobody.get(bySlug(of)))).toEqual([404, "NOT_FOUND"]);
    expect(summarizeResponse(await change(of, { name: "x" }))).toEqual([404, "NOT_FOUND"]);
    const seen = await world.as(ada).get(`${bySlug({ slug: newSlug })}/incidents/${report.id}`);
    expect(seen.body.incident.event).toEqual({ id: of.id, name: of.name, slug: newSlug });
    const session = (await world.as(ada).get("/api/session")).body.user.roles.events;
    expect(session).toContainEqual({ eventId: of.id, slug: newSlug, roles: ["Admin"] });
    const other = await ours();
    expect((await change(other, { newSlug: of.slug })).status).toBe(200);
  });

  test("that another event has is refused, with all that came along", async () => {
    const of = await ours();
    const before = await shown(of);
    for (const newSlug of [event.slug, otherEvent.slug, foreignEvent.slug]) {
      const reply = await change(of, { newSlug, name: "Not to be stored" });
      expect(summarizeResponse(reply)).toEqual([409, "SLUG_TAKEN"]);
      expect(reply.body.details).toMatch(/^newSlug: /);
    }
    expect(await shown(of)).toEqual(before);
  });

  test("that ten events request concurrently goes to one", async () => {
    const events = await runConcurrently(10, () => ours());
    const newSlug = `wanted-${generateUniqueWord()}`;
    const replies = await Promise.all(events.map((of) => change(of, { newSlug })));
    expect(countOutcomes(replies)).toEqual({ 200: 1, "409 SLUG_TAKEN": 9 });
    expect(await heed.rows("events", "slug = $1", [newSlug])).toBe(1);
  });
});

describe("two slugs", () => {
  test("that two events exchange concurrently stay unchanged, without a deadlock", async () => {
    const pairs = await runConcurrently(8, async () => [await ours(), await ours()] as const);
    const replies = await Promise.all(
      pairs.flatMap(([one, other]) => [
        change(one, { newSlug: other.slug }),
        change(other, { newSlug: one.slug }, sam),
      ]),
    );
    expect(countOutcomes(replies)).toEqual({ "409 SLUG_TAKEN": 16 });
    for (const event of pairs.flat()) expect((await shown(event)).slug).toBe(event.slug);
  });
});

describe("its dates", () => {
  const [MAY_1, MAY_2, MAY_3] = [1, 2, 3].map((day) => `2026-05-0${day}T00:00:00.000Z`);
  const dated = async (dates: Record<string, unknown>) => {
    const of = await ours();
    expect((await change(of, dates)).status).toBe(200);
    return of;
  };

  test.each([
    ["both", { startDate: MAY_3, endDate: MAY_1 }, "endDate"],
    ["an end before the start that is there", { endDate: MAY_1 }, "endDate"],
    ["a start after the end that is there", { startDate: MAY_3 }, "startDate"],
  ])("are not stored out of order: %s", async (_, dates, field) => {
    const of = await dated({ startDate: "2026-05-01T12:00:00Z", endDate: MAY_2 });
    const before = await shown(of);
    const reply = await change(of, { ...dates, name: "Not to be stored" });
    expect(summarizeResponse(reply)).toEqual([400, "VALIDATION_ERROR"]);
    expect(reply.body.details).toMatch(new RegExp(`^${field}: `));
    expect(await shown(of)).toEqual(before);
    // Both may move at once, past where the other one was; then one may be open.
    for (const move of [
      { startDate: MAY_3, endDate: MAY_3 },
      { startDate: MAY_1, endDate: MAY_1 },
      { endDate: null },
    ])
      expect((await change(of, move)).status).toBe(200);
    expect((await change(of, { startDate: MAY_3 })).status).toBe(200);
  });

  test("stay in order when two people change one of them each at once", async () => {
    await runConcurrently(8, async () => {
      const of = await dated({ startDate: MAY_1, endDate: MAY_3 });
      const replies = await Promise.all([
        change(of, { startDate: "2026-05-02T12:00:00Z" }),
        change(of, { endDate: MAY_2 }, sam),
      ]);
      expect(countOutcomes(replies)).toEqual({ 200: 1, "400 VALIDATION_ERROR": 1 });
      const { startDate, endDate } = await shown(of);
      expect(startDate <= endDate).toBe(true);
    });
  });
});

describe("its logo", () => {
  const upload = async (of: EventRef) => {
    const body = buildForm({}, { field: "logo", name: "logo.png", bytes: await createPng() });
    const reply = await world.as(ada).post(`${byId(of)}/logo`, body);
    expect(reply.status, reply.text).toBe(200);
    return reply;
  };

  test.each([
    ["null", null],
    ["an address elsewhere", "https://riverside.example.org/logo.png"],
  ])("that was uploaded gives way to %s, and its file goes", async (_, logo) => {
    const of = await ours();
    const newFiles = watchStoredFiles(heed.dataDir);
    const uploaded = await upload(of);
    expectShape(uploaded.body, { event: EVENT });
    expect(uploaded.body.event.logo).toContain(`/api/events/${of.id}/logo`);
    expect((await nobody.get(`${bySlug(of)}/logo`)).headers["content-type"]).toMatch(/^image\//);
    expect((await change(of, { name: "The logo stays" })).body.event.logo).toBe(uploaded.body.event.logo);
    expect(newFiles()).toHaveLength(1);
    expect((await change(of, { logo })).body.event.logo).toBe(logo);
    const [entry] = await heed.sql(
      "select data from audit_entries where action = 'event.update' and object_id = $1 order by seq desc limit 1",
      [of.id],
    );
    expect(entry?.data).toMatchObject({ fields: ["logo"] });
    for (const where of [byId(of), bySlug(of)])
      expect(summarizeResponse(await nobody.get(`${where}/logo`))).toEqual([404, "NOT_FOUND"]);
    await waitUntil("the file is gone", () => newFiles().length === 0);
    expect((await upload(of)).body.event.logo).toContain(`/api/events/${of.id}/logo`);
  });
});

describe("one's roles in it", () => {
  const roles = async (person: TestPerson, of: EventRef = event) => {
    const reply = await world.as(person).get(`${bySlug(of)}/my-roles`);
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { roles: checkList(checkExactly("Reporter", "Responder", "Admin")) });
    return reply.body.roles;
  };

  test("are returned to signed-in people", async () => {
    for (const [person, role] of [
      [maya, "Reporter"],
      [omar, "Responder"],
      [ada, "Admin"],
    ] as const)
      expect(await roles(person)).toEqual([role]);
    // Neither the system's role nor one in the organization is a role in the event.
    for (const person of [nora, sam, olga, ines, berta]) expect(await roles(person)).toEqual([]);
  });

  test("are all that one holds, of this event, and as they are now", async () => {
    const person = await world.person("Many Roles", {
      events: [
        [event, "Admin", "Reporter"],
        [otherEvent, "Responder"],
      ],
    });
    expect((await roles(person)).toSorted()).toEqual(["Admin", "Reporter"]);
    expect(await roles(person, otherEvent)).toEqual(["Responder"]);
    await world.as(ada).delete(`${byId()}/roles`, { userId: person.id, roleName: "Admin" });
    expect(await roles(person)).toEqual(["Reporter"]);
    const alias = await world.as(person).get(`/events/slug/${event.slug}/my-roles`);
    expect(alias.body).toEqual({ roles: ["Reporter"] });
  });
});
