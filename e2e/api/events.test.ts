import { describe, expect, test } from "vitest";
import { buildForm, createPng } from "#e2e/support/evidence.ts";
import { shareService } from "#e2e/support/service.ts";
import { watchStoredFiles } from "#e2e/support/stored-files.ts";
import { EVENT, checkExactly, expectShape, checkList } from "#e2e/support/shapes.ts";
import {
  UNKNOWN_ID,
  countOutcomes,
  summarizeResponse,
  runConcurrently,
} from "#e2e/support/concurrent-requests.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld, type EventRef, type TestPerson } from "#e2e/support/world.ts";

/** Events themselves (contract 6). Their people, invites and reports have files of their own. */

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

  test("by id is for nobody else", async () => {
    for (const person of [maya, omar, olga, ines, berta, nora]) {
      const reply = await world.as(person).get(byId());
      expect(summarizeResponse(reply)).toEqual([403, "FORBIDDEN"]);
      expect(reply.text).not.toContain(event.name);
    }
  });

  test("of a missing event is 404 for everybody", async () => {
    for (const client of [nobody, world.as(ada), world.as(sam)])
      for (const slug of [
        "no-such-event",
        event.slug.toUpperCase(),
        "%00",
        "x".repeat(200),
        `${event.slug}%20`,
      ])
        expect(summarizeResponse(await client.get(`/api/events/slug/${slug}`)), slug).toEqual([
          404,
          "NOT_FOUND",
        ]);
    for (const id of [UNKNOWN_ID, "no-id", `${event.id}0`])
      expect(summarizeResponse(await world.as(sam).get(`/api/events/${id}`)), id).toEqual([404, "NOT_FOUND"]);
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
  test.each(FIELDS)("of %s alone leaves the rest", async (field, value, storedValue = value) => {
    const of = await ours();
    const before = await shown(of);
    const reply = await change(of, { [field]: value });
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { event: EVENT });
    const after = reply.body.event;
    expect(after).toEqual({ ...before, [field]: storedValue, updatedAt: after.updatedAt });
    expect(after.updatedAt > before.updatedAt).toBe(true);
    expect((await nobody.get(bySlug(of))).body.event).toEqual(after);
  });

  test("of everything at once", async () => {
    const of = await ours();
    const newSlug = `moved-${generateUniqueWord()}`;
    const body = Object.fromEntries(FIELDS.map(([field, value]) => [field, value]));
    const reply = await change(of, { ...body, newSlug });
    const storedValue = Object.fromEntries(FIELDS.map(([field, value, back = value]) => [field, back]));
    expect(reply.body.event).toMatchObject({ ...storedValue, id: of.id, slug: newSlug });
  });

  test("clears optional members with null or blank", async () => {
    const of = await ours();
    const may = FIELDS.filter(([field]) => !["name", "isActive"].includes(field));
    for (const nothing of [null, "", "  "]) {
      await change(of, Object.fromEntries(may.map(([field, value]) => [field, value])));
      const reply = await change(of, Object.fromEntries(may.map(([field]) => [field, nothing])));
      expect(reply.status, reply.text).toBe(200);
      expect(reply.body.event).toMatchObject(Object.fromEntries(may.map(([field]) => [field, null])));
    }
  });

  test("accepts values of the maximum length", async () => {
    const of = await ours();
    const body = { name: "🪷".repeat(120), description: "d".repeat(5000), codeOfConduct: "c".repeat(20_000) };
    const reply = await change(of, body);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body.event).toMatchObject(body);
  });

  test.each([
    ["nothing", {}, ""],
    ["only what it doesn't know", { slug: "another-slug", organizationId: UNKNOWN_ID, id: UNKNOWN_ID }, ""],
    ["a blank name", { name: " " }, "name"],
    ["no text as a name", { name: null }, "name"],
    ["a name of 121 characters", { name: "n".repeat(121) }, "name"],
    ["a description of 5,001 characters", { description: "d".repeat(5001) }, "description"],
    ["a code of conduct of 20,001 characters", { codeOfConduct: "c".repeat(20_001) }, "codeOfConduct"],
    ["a slug in capitals", { newSlug: "Spring" }, "newSlug"],
    ["a slug of one letter", { newSlug: "s" }, "newSlug"],
    ["a slug of 64 letters", { newSlug: "s".repeat(64) }, "newSlug"],
    ["a slug that is a part of paths", { newSlug: "slug" }, "newSlug"],
    ["no slug", { newSlug: null }, "newSlug"],
    ["a logo that isn't https", { logo: "http://example.org/logo.png" }, "logo"],
    ["a logo in itself", { logo: "data:image/png;base64,iVBORw0KGgo=" }, "logo"],
    ["a logo that is a script", { logo: "javascript:alert(1)" }, "logo"],
    ["a website that is a script", { website: "javascript:alert(1)" }, "website"],
    ["a website with a password in it", { website: "https://user:secret@example.org/" }, "website"],
    ["what is no address", { contactEmail: "team" }, "contactEmail"],
    ["two addresses", { contactEmail: "a@example.org, b@example.org" }, "contactEmail"],
    ["a day that isn't there", { startDate: "2026-02-30" }, "startDate"],
    ["a time without a zone", { endDate: "2026-06-01T18:00:00" }, "endDate"],
    ["seconds since 1970", { startDate: 1_780_000_000 }, "startDate"],
    ["a year that is too early", { startDate: "1899-12-31T23:59:59Z" }, "startDate"],
    ["a year that is too late", { endDate: "2101-01-01T00:00:00Z" }, "endDate"],
    ["a zone that isn't there", { timeZone: "Mars/Olympus" }, "timeZone"],
    ["an offset for a zone", { timeZone: "+02:00" }, "timeZone"],
    ["yes for whether it is active", { isActive: "yes" }, "isActive"],
    ["null for whether it is active", { isActive: null }, "isActive"],
  ])("refuses %s, and stores nothing of it", async (_, body, field) => {
    const of = await ours();
    const before = await shown(of);
    const good = field === "" ? {} : { ...(field !== "description" && { description: "Not to be stored." }) };
    const reply = await change(of, { ...good, ...body });
    expect(summarizeResponse(reply)).toEqual([400, "VALIDATION_ERROR"]);
    expect(reply.body.details).toMatch(field === "" ? /^needs / : new RegExp(`^${field}: \\w+`));
    expect(await shown(of)).toEqual(before);
  });

  test("is for its Admins, and changes nothing for others", async () => {
    const before = await shown(event);
    for (const person of [omar, maya, olga, ines, berta, nora])
      expect(summarizeResponse(await change(event, { name: "Taken over" }, person))).toEqual([
        403,
        "FORBIDDEN",
      ]);
    expect(summarizeResponse(await nobody.patch(bySlug(), { name: "Taken over" }))).toEqual([
      401,
      "UNAUTHENTICATED",
    ]);
    expect(await shown(event)).toEqual(before);
    expect(summarizeResponse(await change({ ...event, slug: "no-such-event" }, { name: "x" }))).toEqual([
      404,
      "NOT_FOUND",
    ]);
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

describe("If-Match", () => {
  const seenAs = (updatedAt: string) => ({ headers: { "if-match": `"${updatedAt}"` } });

  test("refuses a stale change, and accepts a current one", async () => {
    const made = await ours();
    const before = await shown(made);
    const first = await world.as(ada).patch(bySlug(made), { description: "First" }, seenAs(before.updatedAt));
    expect(first.status, first.text).toBe(200);
    const stale = await world
      .as(ada)
      .patch(bySlug(made), { description: "Second" }, seenAs(before.updatedAt));
    expect(summarizeResponse(stale)).toEqual([409, "CONFLICT"]);
    expect(await shown(made)).toMatchObject({ description: "First" });
    const { updatedAt } = await shown(made);
    const again = await world.as(ada).patch(bySlug(made), { description: "Second" }, seenAs(updatedAt));
    expect([again.status, again.body.event.description]).toEqual([200, "Second"]);
  });

  test("is optional, and * matches any version", async () => {
    const made = await ours();
    const reply = await world
      .as(ada)
      .patch(bySlug(made), { description: "Any" }, { headers: { "if-match": "*" } });
    expect(reply.status, reply.text).toBe(200);
    expect((await change(made, { description: "None" })).status).toBe(200);
  });

  test("that is empty is refused, and nothing changes", async () => {
    const made = await ours();
    const body = { description: "Unseen" };
    const reply = await world.as(ada).patch(bySlug(made), body, { headers: { "if-match": "" } });
    expect(summarizeResponse(reply)).toEqual([400, "VALIDATION_ERROR"]);
    expect((await shown(made)).description).not.toBe("Unseen");
  });
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

  test("may be the one that it has", async () => {
    const of = await ours();
    const reply = await change(of, { newSlug: of.slug });
    expect([reply.status, reply.body.event.slug]).toEqual([200, of.slug]);
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

  test("may be the same moment, or open on either side", async () => {
    const of = await dated({ startDate: MAY_2, endDate: MAY_2 });
    for (const dates of [
      { endDate: null },
      { startDate: null },
      { endDate: MAY_1 },
      { endDate: null, startDate: MAY_3 },
    ])
      expect((await change(of, dates)).status).toBe(200);
    expect(await shown(of)).toMatchObject({ startDate: MAY_3, endDate: null });
  });

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
  });

  test("may both move at once, past where the other one was", async () => {
    const of = await dated({ startDate: MAY_1, endDate: MAY_1 });
    expect((await change(of, { startDate: MAY_2, endDate: MAY_3 })).status).toBe(200);
    expect((await change(of, { startDate: MAY_1, endDate: MAY_1 })).status).toBe(200);
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
    for (const where of [byId(of), bySlug(of)])
      expect(summarizeResponse(await nobody.get(`${where}/logo`))).toEqual([404, "NOT_FOUND"]);
    await waitUntil("the file is gone", () => newFiles().length === 0);
  });

  test("with an external address is replaced by an uploaded one", async () => {
    const of = await ours();
    await change(of, { logo: "https://riverside.example.org/logo.png" });
    expect((await upload(of)).body.event.logo).toContain(`/api/events/${of.id}/logo`);
    expect((await change(of, { logo: null })).body.event.logo).toBeNull();
    const [entry] = await heed.sql(
      "select data from audit_entries where action = 'event.update' and object_id = $1 order by seq desc limit 1",
      [of.id],
    );
    expect(entry?.data).toMatchObject({ fields: ["logo"] });
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
    expect(await roles(maya)).toEqual(["Reporter"]);
    expect(await roles(omar)).toEqual(["Responder"]);
    expect(await roles(ada)).toEqual(["Admin"]);
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

  test("in a missing event are 404", async () => {
    expect(summarizeResponse(await world.as(nora).get("/api/events/slug/no-such-event/my-roles"))).toEqual([
      404,
      "NOT_FOUND",
    ]);
    expect(summarizeResponse(await nobody.get(`${bySlug()}/my-roles`))).toEqual([401, "UNAUTHENTICATED"]);
  });
});
