import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { buildForm, createPng } from "#e2e/support/evidence.ts";
import { runWhileLocked } from "#e2e/support/row-lock.ts";
import { shareService } from "#e2e/support/service.ts";
import { listStoredFiles, watchStoredFiles } from "#e2e/support/stored-files.ts";
import {
  checkCount,
  EVENT,
  checkExactly,
  expectShape,
  INVITE,
  checkList,
  ORGANIZATION,
  ORGANIZATION_MEMBERS,
  PAGINATION,
  checkRecord,
  checkText,
  checkTime,
  checkUrl,
  USER,
} from "#e2e/support/shapes.ts";
import {
  UNKNOWN_ID,
  countOutcomes,
  summarizeResponse,
  runConcurrently,
  expectRefusal,
} from "#e2e/support/concurrent-requests.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { TestWorld, type EventRef, type TestPerson, type PlaceRef } from "#e2e/support/world.ts";

/** Organizations, their members and events (contract 5). Invites have a file of their own. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, foreignEvent, foreignOrganization, nobody, organization } = world;
const { bruno, maya, nora, olga, omar, sam, viktor } = world;

const ALL = "/api/organizations";
const at = (of: { id: string } = organization) => `${ALL}/${of.id}`;
const member = (person: TestPerson, of: PlaceRef = organization) => `${at(of)}/members/${person.id}`;

const wanted = (changes: Record<string, unknown> = {}) => ({
  name: "Lakeside Evenings",
  slug: `lakeside-${generateUniqueWord()}`,
  ...changes,
});

/** An organization with so many org_admins. */
async function administered(admins: number): Promise<[PlaceRef, ...TestPerson[]]> {
  const place = await world.newOrganization("Administered");
  const people = await runConcurrently(admins, () =>
    world.person("Some Admin", { organization: [place, "org_admin"] }),
  );
  return [place, ...people];
}

const roleOf = async (person: TestPerson, of: PlaceRef = organization): Promise<string | undefined> => {
  const [row] = await heed.sql<{ role: string }>(
    "select role from organization_members where organization_id = $1 and user_id = $2",
    [of.id, person.id],
  );
  return row?.role;
};
describe("create", () => {
  const create = (body: unknown) => world.as(sam).post(ALL, body);

  test("with every field", async () => {
    const fields = wanted({ description: " By the lake. ", website: "https://lakeside.example.org/about" });
    const reply = await create(fields);
    expect(reply.status, reply.text).toBe(201);
    expectShape(reply.body, { organization: ORGANIZATION, inviteLink: checkUrl });
    expect(reply.body.organization).toMatchObject({ ...fields, description: "By the lake.", logoUrl: null });
    const shown = await world.as(sam).get(at(reply.body.organization));
    expect(shown.body.organization).toEqual(reply.body.organization);
  });

  test("makes nobody a member, and one invite for the first org_admin", async () => {
    const { organization: made, inviteLink } = (await create(wanted())).body;
    expect(await heed.rows("organization_members", "organization_id = $1", [made.id])).toBe(0);
    const invites = await heed.sql(
      "select code, role, max_uses, use_count, event_id, expires_at from invites where organization_id = $1",
      [made.id],
    );
    const code = new URL(inviteLink).pathname.split("/").at(-1);
    expect(invites).toEqual([
      { code, role: "org_admin", max_uses: 1, use_count: 0, event_id: null, expires_at: null },
    ]);
    expect(new URL(inviteLink).origin).toBe(`http://localhost:${heed.port}`);
    const [entry] = await heed.sql("select by_right from audit_entries where object_id = $1", [made.id]);
    expect(entry?.by_right).toBe("SystemAdmin");
  });

  test("its first invite is shown until somebody uses it, and opens once", async () => {
    const { organization: made, inviteLink } = (await create(wanted())).body;
    const initial = `/api/admin/organizations/${made.id}/initial-invite`;
    const shown = await world.as(sam).get(initial);
    expect(shown.status, shown.text).toBe(200);
    expectShape(shown.body, { invite: INVITE });
    const { invite } = shown.body;
    expect(invite).toMatchObject({
      role: "org_admin",
      url: inviteLink,
      maxUses: 1,
      useCount: 0,
      expiresAt: null,
    });
    expect(inviteLink.endsWith(invite.code)).toBe(true);
    const [first, second] = [await world.person("First Admin"), await world.person("Second Admin")];
    const used = await world.as(first).post(`${ALL}/invite/${invite.code}/use`);
    expect([used.status, used.body.role]).toEqual([200, "org_admin"]);
    expectRefusal(await world.as(sam).get(initial), "404 NOT_FOUND");
    const late = await world.as(second).post(`${ALL}/invite/${invite.code}/use`);
    expectRefusal(late, "410 INVITE_EXHAUSTED");
    expect((await world.as(first).get(at(made))).status).toBe(200);
  });

  test("its first invite is not shown when it was disabled, or never was", async () => {
    const { organization: made } = (await create(wanted())).body;
    const initial = (of: { id: string }) => `/api/admin/organizations/${of.id}/initial-invite`;
    const { invite } = (await world.as(sam).get(initial(made))).body;
    await world.as(sam).patch(`${at(made)}/invites/${invite.id}`, { disabled: true });
    expectRefusal(await world.as(sam).get(initial(made)), "404 NOT_FOUND");
    await world.as(sam).post(`${at()}/invites`, { role: "org_admin", maxUses: 1 });
    expectRefusal(await world.as(sam).get(initial(organization)), "404 NOT_FOUND");
    expectRefusal(await world.as(sam).get(initial({ id: UNKNOWN_ID })), "404 NOT_FOUND");
  });

  test("takes values up to their length, and refuses longer ones, a bad slug and a bad website", async () => {
    const slug = `${"a".repeat(52)}-${generateUniqueWord()}`;
    expect(slug).toHaveLength(63);
    const longest = { slug, name: "🪷".repeat(120), description: "d".repeat(5000) };
    const reply = await create(longest);
    expect(reply.status, reply.text).toBe(201);
    for (const [field, value] of [
      ["name", `${longest.name}n`],
      ["name", undefined],
      ["description", `${longest.description}d`],
      ["slug", "slug"],
      ["website", "javascript:alert(1)"],
    ] as const) {
      const refused = await create(wanted({ [field]: value }));
      expectRefusal(refused, "400 VALIDATION_ERROR", field);
      expect(refused.body.details).toMatch(new RegExp(`^${field}: \\w+`));
    }
  });
  test("gives a slug that ten requests send concurrently to one", async () => {
    const body = wanted();
    const replies = await runConcurrently(10, () => create(body));
    expect(countOutcomes(replies)).toEqual({ 201: 1, "409 SLUG_TAKEN": 9 });
    expect(replies.find(({ status }) => status === 409)?.body.details).toMatch(/^slug: /);
    const made = replies.find(({ status }) => status === 201)?.body.organization;
    expect(await heed.rows("organizations", "slug = $1", [body.slug])).toBe(1);
    expect(await heed.rows("invites", "organization_id = $1", [made.id])).toBe(1);
    expect(
      await heed.rows("invites i", "not exists (select 1 from organizations where id = i.organization_id)"),
    ).toBe(0);
  });
});

describe("the list of all", () => {
  const word = `w${generateUniqueWord()}`;
  const list = async (query: string) => (await world.as(sam).get(`${ALL}?${query}`)).body;
  const names = (body: { organizations: PlaceRef[] }) => body.organizations.map(({ name }) => name);

  test("has each with its counts, newest first", async () => {
    const one = await world.newOrganization(`${word} one`);
    await world.person("Counted", { organization: [one, "org_viewer"] });
    await world.person("Counted Too", { organization: [one, "org_admin"] });
    await world.newEvent(one);
    await heed.sql("insert into organizations (name, slug, description) values ($1, $2, $3), ($4, $5, 'x')", [
      "Another name",
      generateUniqueWord(),
      `Tells of 100% ${word.toUpperCase()}_`,
      `${word} two`,
      generateUniqueWord(),
    ]);
    const body = await list(`search=${word}`);
    expectShape(body, {
      organizations: checkList(
        checkRecord({ ...ORGANIZATION_MEMBERS, memberCount: checkCount, eventCount: checkCount }),
      ),
      pagination: PAGINATION,
    });
    expect(names(body).toSorted()).toEqual(["Another name", `${word} one`, `${word} two`]);
    expect(body.organizations.find(({ id }: PlaceRef) => id === one.id)).toMatchObject({
      memberCount: 2,
      eventCount: 1,
    });
    const times = body.organizations.map((found: { createdAt: string }) => found.createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(body.pagination).toEqual({ page: 1, limit: 20, total: 3, totalPages: 1 });
  });

  test("is searched in name and description, literally, in any letter case", async () => {
    expect(names(await list(`search=${word.toUpperCase()}%20ONE`))).toEqual([`${word} one`]);
    expect(names(await list(`search=${encodeURIComponent(`100% ${word}`)}`))).toEqual(["Another name"]);
    expect(names(await list(`search=${word}_`))).toEqual(["Another name"]);
    expect(names(await list(`search=${word}%25`))).toEqual([]);
  });
});

describe("one's own", () => {
  const OWN = checkRecord({ ...ORGANIZATION_MEMBERS, role: checkExactly("org_admin", "org_viewer") });
  const own = async (person: TestPerson) => (await world.as(person).get(`${ALL}/me`)).body;

  test("are those that one is a member of, with the role", async () => {
    const both = await world.person("In Both", { organization: [organization, "org_admin"] });
    await world.join(both, foreignOrganization, "org_viewer");
    const body = await own(both);
    expectShape(body, { organizations: checkList(OWN) });
    const roles = body.organizations.map(({ id, role }: { id: string; role: string }) => [id, role]);
    expect(roles).toHaveLength(2);
    expect(roles).toContainEqual([organization.id, "org_admin"]);
    expect(roles).toContainEqual([foreignOrganization.id, "org_viewer"]);
    expect((await own(viktor)).organizations).toMatchObject([{ id: organization.id, role: "org_viewer" }]);
  });
});

describe("view", () => {
  test("is the same by id, in any letter case, and by slug", async () => {
    const byId = await world.as(viktor).get(at());
    expectShape(byId.body, { organization: ORGANIZATION });
    expect(byId.body.organization).toMatchObject(organization);
    for (const same of [`${ALL}/${organization.id.toUpperCase()}`, `${ALL}/slug/${organization.slug}`])
      expect((await world.as(viktor).get(same)).body).toEqual(byId.body);
  });
});

describe("update", () => {
  const change = (body: unknown) => world.as(olga).put(at(), body);
  const shown = async () => (await world.as(olga).get(at())).body.organization;

  test("changes what is given, and only that", async () => {
    const before = await shown();
    const fields = {
      name: "Riverside Meetings",
      description: "On the bank.",
      website: "https://example.org/r",
    };
    for (const [name, value] of Object.entries(fields)) {
      const rest = await shown();
      const reply = await change({ [name]: value });
      expect(reply.status, reply.text).toBe(200);
      expectShape(reply.body, { message: checkText, organization: ORGANIZATION });
      expect(reply.body.organization).toEqual({
        ...rest,
        [name]: value,
        updatedAt: reply.body.organization.updatedAt,
      });
      expect(await shown()).toEqual(reply.body.organization);
    }
    const after = await shown();
    expect(after.createdAt).toBe(before.createdAt);
    expect(after.updatedAt > before.updatedAt).toBe(true);
  });

  test("without a change leaves the organization and the log unchanged", async () => {
    const before = await shown();
    const entries = () => heed.rows("audit_entries", "action = 'organization.update'");
    const log = await entries();
    const reply = await change({ slug: `moved-${generateUniqueWord()}` });
    expect([reply.status, reply.body.organization]).toEqual([200, before]);
    expect(await entries()).toBe(log);
  });
});

describe("delete", () => {
  test("takes every row and file that it owns, and nothing of others", async () => {
    const remaining = await world
      .as(omar)
      .get(`/api/events/${event.id}/incidents/${(await withFiles(event, maya)).id}`);
    const newFiles = watchStoredFiles(heed.dataDir);
    const place = await world.newOrganization("Short-lived");
    const admin = await world.person("Short Admin", { organization: [place, "org_admin"] });
    const held: EventRef = (await world.as(admin).post(`${at(place)}/events`, wanted())).body.event;
    const reporter = await world.person("Short Reporter", { events: [[held, "Reporter"]] });
    const report = await withFiles(held, reporter);
    await world.as(admin).post("/api/users/me/pins", { incidentId: report.id, eventId: held.id });
    const logo = buildForm({}, { field: "logo", name: "logo.png", bytes: await createPng() });
    expect((await world.as(admin).post(`${at(place)}/logo`, logo)).status).toBe(200);
    expect((await world.as(admin).post(`/api/events/${held.id}/logo`, logo)).status).toBe(200);
    const { invite } = (await world.as(admin).post(`${at(place)}/invites`, { role: "org_viewer" })).body;
    await world.as(nora).post(`${ALL}/invite/${invite.code}/use`);
    // Two logos, two files of the report, and what is kept beside them.
    expect(newFiles().length).toBeGreaterThanOrEqual(4);

    const reply = await world.as(sam).delete(at(place));
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { message: checkText });
    expect(await heed.rows("organizations", "id = $1", [place.id])).toBe(0);
    await waitUntil("an empty outbox", async () => (await heed.rows("outbox_events")) === 0);
    expect(await leftOf(place, held, [report.id])).toEqual([]);
    expect(await heed.rows("invite_uses", "invite_id = $1", [invite.id])).toBe(0);
    await waitUntil("the files are gone", () => newFiles().length === 0);

    // Its people stay, and so does everything of the others.
    expect((await world.as(admin).get(`${ALL}/me`)).body).toEqual({ organizations: [] });
    expect((await world.as(reporter).get("/api/users/me/incidents")).body.incidents).toEqual([]);
    expectRefusal(await world.as(sam).delete(at(place)), "404 NOT_FOUND");
    expectRefusal(await world.as(admin).get(at(place)), "404 NOT_FOUND");
    expectRefusal(await nobody.get(`/api/events/slug/${held.slug}`), "404 NOT_FOUND");
    const absent = await nobody.get(`${ALL}/${UNKNOWN_ID}/logo`);
    for (const gone of [
      `${at(place)}/logo`,
      `${ALL}/slug/${place.slug}/logo`,
      `/api/events/${held.id}/logo`,
    ]) {
      const logoOf = await nobody.get(gone);
      expect([summarizeResponse(logoOf), logoOf.body], gone).toEqual([[404, "NOT_FOUND"], absent.body]);
    }
    const still = await world.as(omar).get(`/api/events/${event.id}/incidents/${remaining.body.incident.id}`);
    expect(still.body).toEqual(remaining.body);
    const storedNames = listStoredFiles(heed.dataDir).map((file) => path.basename(file));
    const keysOfOthers = await heed.sql(
      "select storage_key, original_key from related_files where incident_id = $1",
      [remaining.body.incident.id],
    );
    expect(keysOfOthers).toHaveLength(2);
    for (const key of keysOfOthers.flatMap(Object.values).filter(Boolean)) expect(storedNames).toContain(key);
    const [entry] = await heed.sql(
      "select chain, by_right from audit_entries where action = 'organization.delete' and object_id = $1",
      [place.id],
    );
    expect(entry).toEqual({ chain: "system", by_right: "SystemAdmin" });
  });

  async function withFiles(of: EventRef, person: TestPerson): Promise<{ id: string }> {
    const fields = { title: "A report with evidence", description: "Two files." };
    const files = [
      { name: "a.png", bytes: await createPng() },
      { name: "b.txt", bytes: "What I saw." },
    ];
    const reply = await world.as(person).post(`/api/events/${of.id}/incidents`, buildForm(fields, ...files));
    expect(reply.status, reply.text).toBe(201);
    return reply.body.incident;
  }

  test("at the same time ten times, it is deleted once", async () => {
    const place = await world.newOrganization("Deleted at once");
    const replies = await runConcurrently(10, () => world.as(sam).delete(at(place)));
    expect(countOutcomes(replies)).toEqual({ 200: 1, "404 NOT_FOUND": 9 });
  });

  // In the first the deletion comes among the reports; in the others one of them waits for the other's locks.
  test.each([
    ["as they come", "select 1"],
    ["all behind the event", "select 1 from events where organization_id = $1 for update"],
    ["all behind the organization", "select 1 from organizations where id = $1 for update"],
  ])("while twenty reports are being filed, %s, leaves none of them half there", async (_, lock) => {
    const place = await world.newOrganization("Deleted amid reports");
    const held = await world.newEvent(place);
    const reporter = await world.person("Late Reporter", { events: [[held, "Reporter"]] });
    const hasFiles = (index: number) => index % 2 === 0;
    const fields = { title: "A report at the last moment", description: "With what I have." };
    const bodies = await runConcurrently(20, async (index) =>
      hasFiles(index) ? buildForm(fields, { name: "a.png", bytes: await createPng() }) : fields,
    );
    const newFiles = watchStoredFiles(heed.dataDir);
    const values = lock.includes("$1") ? [place.id] : [];
    const [reports, deletion] = await runWhileLocked(lock, values, () =>
      Promise.all([
        runConcurrently(20, async (index) => {
          await sleep(index * 15);
          return world.as(reporter).post(`/api/events/${held.id}/incidents`, bodies[index]);
        }),
        sleep(150).then(() => world.as(sam).delete(at(place))),
      ]),
    );
    expect(summarizeResponse(deletion)).toEqual([200]);
    for (const reply of reports) expect([201, 404, 409], reply.text).toContain(reply.status);
    const filed = reports.flatMap(({ body }) => body.incident?.id ?? []);
    await waitUntil("an empty outbox", async () => (await heed.rows("outbox_events")) === 0);
    expect(await leftOf(place, held, filed)).toEqual([]);
    await waitUntil("the files are gone", () => newFiles().length === 0);
    expect(fs.readdirSync(path.join(heed.dataDir, "tmp"))).toEqual([]);
    expectRefusal(await world.as(reporter).get(`/api/events/${held.id}/incidents`), "404 NOT_FOUND");
  });

  /** Rows of any table that still name one of them. The audit log keeps what it holds. */
  async function leftOf(place: PlaceRef, held: EventRef, filed: string[]): Promise<string[]> {
    const columns = await heed.sql<{ table: string; column: string }>(
      `select table_name as "table", column_name as "column" from information_schema.columns
       join information_schema.tables using (table_schema, table_name)
       where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'audit_%'
         and column_name in ('organization_id', 'event_id', 'incident_id')`,
    );
    const ids = [place.id, held.id, ...filed];
    const left = await Promise.all(
      columns.map(async ({ table, column }) => {
        const rows = await heed.rows(table, `${column} = any($1)`, [ids]);
        return rows ? [`${table}.${column}: ${rows}`] : [];
      }),
    );
    return left.flat();
  }
});

describe("members", () => {
  const add = (body: unknown, by: TestPerson = olga) => world.as(by).post(`${at()}/members`, body);

  test("are added with a role, which holds from the next request on", async () => {
    for (const role of ["org_admin", "org_viewer"]) {
      const person = await world.person("Added Person");
      expect((await world.as(person).get(at())).status).toBe(403);
      const reply = await add({ userId: person.id.toUpperCase(), role });
      expect(reply.status, reply.text).toBe(201);
      expectShape(reply.body, { message: checkText });
      expect(await roleOf(person)).toBe(role);
      const recorded = "action = 'member.add' and object_id = $1 and actor_id = $2";
      expect(await heed.rows("audit_entries", recorded, [person.id, olga.id])).toBe(1);
      expect((await world.as(person).get(at())).status).toBe(200);
      expect((await world.as(person).get(`${at()}/invites`)).status).toBe(role === "org_admin" ? 200 : 403);
    }
  });

  test("are listed to members", async () => {
    const { body } = await world.as(viktor).get(`${at()}/members`);
    expectShape(body, {
      members: checkList(
        checkRecord({
          user: USER,
          role: checkExactly("org_admin", "org_viewer"),
          invited: checkExactly(false),
          joinedAt: checkTime,
        }),
      ),
    });
    const ids = body.members.map(({ user }: { user: TestPerson }) => user.id);
    expect(ids).toEqual(expect.arrayContaining([olga.id, viktor.id]));
    expect(ids).not.toContain(bruno.id);
  });

  test("are no members twice, whatever the role", async () => {
    for (const role of ["org_viewer", "org_admin"])
      expectRefusal(await add({ userId: viktor.id, role }), "409 ALREADY_MEMBER");
    expect(await roleOf(viktor)).toBe("org_viewer");
    const person = await world.person("Wanted Person");
    const replies = await runConcurrently(10, () => add({ userId: person.id, role: "org_viewer" }));
    expect(countOutcomes(replies)).toEqual({ 201: 1, "409 ALREADY_MEMBER": 9 });
  });

  test("need an account and a role of organizations", async () => {
    expectRefusal(await add({ userId: UNKNOWN_ID, role: "org_viewer" }), "404 NOT_FOUND");
    const reply = await add({ userId: nora.id, role: "Admin" });
    expectRefusal(reply, "400 VALIDATION_ERROR");
    expect(reply.body.details).toMatch(/^role: /);
    expect(await roleOf(nora)).toBeUndefined();
  });

  test("change their role, which holds from the next request on", async () => {
    const person = await world.person("Rising Person", { organization: [organization, "org_viewer"] });
    for (const [role, status] of [
      ["org_admin", 200],
      ["org_viewer", 403],
    ] as const) {
      const reply = await world.as(olga).put(member(person), { role });
      expect(reply.status, reply.text).toBe(200);
      expectShape(reply.body, { message: checkText });
      expect(await roleOf(person)).toBe(role);
      expect((await world.as(person).get(`${at()}/invites`)).status).toBe(status);
    }
  });

  test("are removed, and shut out from the next request on; their roles in events stay", async () => {
    const person = await world.person("Leaving Person", {
      organization: [organization, "org_viewer"],
      events: [[event, "Reporter"]],
    });
    expect((await world.as(person).get(at())).status).toBe(200);
    const reply = await world.as(olga).delete(member(person));
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { message: checkText });
    expectRefusal(await world.as(person).get(at()), "403 FORBIDDEN");
    expect((await world.as(person).get(`/api/events/slug/${event.slug}/incidents`)).status).toBe(200);
    expectRefusal(await world.as(olga).delete(member(person)), "404 NOT_FOUND");
  });

  test("of other organizations are not to be found here", async () => {
    for (const person of [bruno, nora]) {
      expectRefusal(await world.as(olga).put(member(person), { role: "org_viewer" }), "404 NOT_FOUND");
      expectRefusal(await world.as(olga).delete(member(person)), "404 NOT_FOUND");
    }
    expect(await roleOf(bruno, foreignOrganization)).toBe("org_admin");
    expectRefusal(await world.as(olga).delete(member(bruno, foreignOrganization)), "403 FORBIDDEN");
  });
});

describe("the last org_admin", () => {
  test("can be demoted and removed by a SystemAdmin", async () => {
    for (const act of [
      (place: PlaceRef, one: TestPerson) => world.as(sam).put(member(one, place), { role: "org_viewer" }),
      (place: PlaceRef, one: TestPerson) => world.as(sam).delete(member(one, place)),
    ]) {
      const [place, one] = await administered(1);
      if (!one) throw new Error("one admin");
      expect((await act(place, one)).status).toBe(200);
      expect(await roleOf(one, place)).not.toBe("org_admin");
      const [entry] = await heed.sql("select by_right from audit_entries where chain = $1", [place.id]);
      expect(entry?.by_right).toBe("SystemAdmin");
    }
  });

  // Whoever comes second finds the other to be the last, or has already lost the right to ask.
  test.each([
    [
      "remove",
      (by: TestPerson, other: TestPerson, place: PlaceRef) => world.as(by).delete(member(other, place)),
    ],
    [
      "demote",
      (by: TestPerson, other: TestPerson, place: PlaceRef) =>
        world.as(by).put(member(other, place), { role: "org_viewer" }),
    ],
  ])("remains when two %s each other at once", async (_, act) => {
    await runConcurrently(3, async () => {
      const [place, one, two] = await administered(2);
      if (!one || !two) throw new Error("two admins");
      const replies = await Promise.all([act(one, two, place), act(two, one, place)]);
      expect(replies.map(({ status }) => status)).toContain(200);
      expect(["409 LAST_ADMIN", "403 FORBIDDEN"]).toContain(
        Object.keys(countOutcomes(replies)).find((outcome) => outcome !== "200"),
      );
      expect(
        await heed.rows("organization_members", "organization_id = $1 and role = 'org_admin'", [place.id]),
      ).toBe(1);
    });
  });
});

describe("its events", () => {
  const create = (body: unknown, by: TestPerson = olga, of: PlaceRef = organization) =>
    world.as(by).post(`${at(of)}/events`, body);
  const adminsOf = async ({ id }: { id: string }) =>
    (
      await heed.sql<{ user_id: string }>(
        "select user_id from event_roles where event_id = $1 and role_name = 'Admin'",
        [id],
      )
    ).map(({ user_id }) => user_id);

  test("are created with every field", async () => {
    const fields = wanted({
      description: "Three evenings.",
      startDate: "2026-06-01T18:00:00.000Z",
      endDate: "2026-06-03T23:00:00.000Z",
      timeZone: "Europe/Berlin",
      website: "https://lakeside.example.org/2026",
      contactEmail: "hello@lakeside.example.org",
    });
    const reply = await create(fields);
    expect(reply.status, reply.text).toBe(201);
    expectShape(reply.body, { message: checkText, event: EVENT });
    expect(reply.body.event).toMatchObject({
      ...fields,
      organizationId: organization.id,
      codeOfConduct: null,
      logo: null,
      isActive: true,
    });
    expect((await nobody.get(`/api/events/slug/${fields.slug}`)).body.event).toEqual(reply.body.event);
  });

  test("have those as Admins who are org_admins now, and nobody who becomes one later", async () => {
    const [place, one, two] = await administered(2);
    if (!one || !two) throw new Error("two admins");
    const viewer = await world.person("A Viewer", { organization: [place, "org_viewer"] });
    const { event: made } = (await create(wanted(), one, place)).body;
    expect((await adminsOf(made)).toSorted()).toEqual([one.id, two.id].toSorted());
    await world.as(one).put(member(viewer, place), { role: "org_admin" });
    expectRefusal(await world.as(viewer).get(`/api/events/${made.id}`), "403 FORBIDDEN");
    await world.as(one).delete(member(two, place));
    expect((await world.as(two).get(`/api/events/${made.id}`)).status).toBe(200);
  });

  test("don't have a SystemAdmin from elsewhere as Admin, but one who is a member", async () => {
    const [place, one] = await administered(1);
    const { event: made } = (await create(wanted(), sam, place)).body;
    expect(await adminsOf(made)).toEqual([one?.id]);
    const inside = await world.person("System Admin Inside", {
      systemAdmin: true,
      organization: [place, "org_viewer"],
    });
    const { event: second } = (await create(wanted(), inside, place)).body;
    expect((await adminsOf(second)).toSorted()).toEqual([one?.id, inside.id].toSorted());
  });

  test("have a slug of their own, across all organizations", async () => {
    for (const slug of [event.slug, foreignEvent.slug])
      expectRefusal(await create(wanted({ slug })), "409 SLUG_TAKEN");
    const body = wanted();
    const replies = await runConcurrently(10, (index) =>
      index % 2 ? create(body) : create(body, bruno, foreignOrganization),
    );
    expect(countOutcomes(replies)).toEqual({ 201: 1, "409 SLUG_TAKEN": 9 });
    const made = await heed.sql<{ id: string }>("select id from events where slug = $1", [body.slug]);
    expect(made).toHaveLength(1);
    expect(await heed.rows("audit_entries", "action = 'event.create' and event_id = $1", [made[0]?.id])).toBe(
      1,
    );
  });

  test("are listed: found by text and by whether they are active, in pages", async () => {
    const [place, admin] = await administered(1);
    if (!admin) throw new Error("one admin");
    const word = generateUniqueWord();
    for (const [name, description] of [
      [`${word} spring`, "In May."],
      ["Summer", `Also ${word}, 50%.`],
      ["Autumn", "In October."],
    ])
      await create(wanted({ name, description }), admin, place);
    await heed.sql("update events set is_active = false where organization_id = $1 and name = 'Summer'", [
      place.id,
    ]);
    const list = async (query = "") => (await world.as(admin).get(`${at(place)}/events${query}`)).body;
    const names = async (query: string) => (await list(query)).events.map(({ name }: EventRef) => name);
    const body = await list();
    expectShape(body, { events: checkList(EVENT), pagination: PAGINATION });
    expect(body.pagination).toEqual({ page: 1, limit: 20, total: 3, totalPages: 1 });
    expect(body.events.map(({ name }: EventRef) => name)).toEqual(["Autumn", "Summer", `${word} spring`]);
    expect(await names(`?search=${word.toUpperCase()}`)).toEqual(["Summer", `${word} spring`]);
    expect(await names("?search=50%25")).toEqual(["Summer"]);
    expect(await names("?search=%25")).toEqual(["Summer"]);
    expect(await names("?search=_")).toEqual([]);
    expect(await names("?isActive=true")).toEqual(["Autumn", `${word} spring`]);
    expect(await names(`?isActive=false&search=${word}`)).toEqual(["Summer"]);
    expect(await names("?sort=name&order=asc&isActive=true")).toEqual(
      ["Autumn", `${word} spring`].toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    );
    const second = await list("?limit=2&page=2");
    expect(second.pagination).toEqual({ page: 2, limit: 2, total: 3, totalPages: 2 });
    expect(second.events.map(({ name }: EventRef) => name)).toEqual([`${word} spring`]);
  });

  test("are listed by their first day, those without one last, and by how many reports they have", async () => {
    const [place, admin] = await administered(1);
    if (!admin) throw new Error("one admin");
    for (const [name, startDate] of [
      ["Late", "2026-09-01"],
      ["Undated", null],
      ["Early", "2026-03-01"],
    ])
      await create(wanted({ name, startDate }), admin, place);
    await heed.sql(
      `insert into incidents (event_id, title, description)
       select e.id, 'One of several reports', 'x' from events e, generate_series(1, length(e.name) - 3)
       where e.organization_id = $1`,
      [place.id],
    );
    const names = async (query: string) =>
      (await world.as(admin).get(`${at(place)}/events?${query}`)).body.events.map(
        ({ name }: EventRef) => name,
      );
    expect(await names("sort=startDate&order=asc")).toEqual(["Early", "Late", "Undated"]);
    expect(await names("sort=startDate")).toEqual(["Late", "Early", "Undated"]);
    expect(await names("sort=reports")).toEqual(["Undated", "Early", "Late"]);
    expect(await names("sort=reports&order=asc&limit=1&page=2")).toEqual(["Early"]);
  });
});
