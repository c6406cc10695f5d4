import { beforeAll, describe, expect, test } from "vitest";
import type { Reply } from "#e2e/support/client.ts";
import { readMails, waitForMails } from "#e2e/support/outbox.ts";
import { shareService } from "#e2e/support/service.ts";
import {
  checkCount,
  checkExactly,
  expectShape,
  INCIDENT,
  checkList,
  checkNullable,
  PAGINATION,
  checkRecord,
  checkText,
  checkTime,
  checkUrl,
  USER,
  checkUuid,
} from "#e2e/support/shapes.ts";
import {
  UNKNOWN_ID,
  countOutcomes,
  runConcurrently,
  expectRefusal,
} from "#e2e/support/concurrent-requests.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import {
  PASSWORD,
  TestWorld,
  type EventRef,
  type TestPerson,
  type ReportRecord,
} from "#e2e/support/world.ts";

/** The people of an event and their roles (contract 6.3). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, foreignEvent, foreignOrganization, nobody, organization, otherEvent } = world;
const { ada, berta, ines, maya, nora, omar, sam } = world;

const ROLE = checkExactly("Reporter", "Responder", "Admin");
const EVENT_USER_MEMBERS = {
  id: checkUuid,
  name: checkText,
  email: checkNullable(checkText),
  avatarUrl: checkNullable(checkUrl),
  roles: checkList(ROLE),
  invited: checkExactly(false),
  joinDate: checkNullable(checkTime),
  lastActivity: checkNullable(checkTime),
};
const USER_LIST = {
  users: checkList(checkRecord(EVENT_USER_MEMBERS)),
  total: checkCount,
  pagination: PAGINATION,
};

const byId = (of: EventRef = event) => `/api/events/${of.id}/users`;
const bySlug = (of: EventRef = event) => `/api/events/slug/${of.slug}/users`;
const one = (person: { id: string }, of: EventRef = event) => `${bySlug(of)}/${person.id}`;
const roles = (of: EventRef = event) => `/api/events/${of.id}/roles`;

const rolesIn = async ({ id }: { id: string }, of: EventRef = event) =>
  (
    await heed.sql<{ role_name: string }>(
      "select role_name from event_roles where event_id = $1 and user_id = $2 order by role_name",
      [of.id, id],
    )
  ).map(({ role_name }) => role_name);

const account = async ({ id }: { id: string }) =>
  (await heed.sql<{ name: string; email: string }>("select name, email from users where id = $1", [id]))[0];

/** An event with so many Admins and nobody else. */
async function administered(admins: number): Promise<[EventRef, ...TestPerson[]]> {
  const held = await world.newEvent(organization);
  return [
    held,
    ...(await runConcurrently(admins, () => world.person("Some Admin", { events: [[held, "Admin"]] }))),
  ];
}

const newcomer = (...held: ("Reporter" | "Responder" | "Admin")[]) =>
  world.person("New Comer", { events: [[event, ...held]] });

describe("the lists of people", () => {
  const word = generateUniqueWord();
  let crowd: EventRef;
  const people: Record<string, TestPerson> = {};

  /** By name, by address and by role they stand in three different orders. */
  const PEOPLE = [
    ["adam", "Reporter"],
    ["Beth", "Admin", "Reporter"],
    ["chris", "Responder", "Reporter"],
    ["Dora", "Reporter"],
    ["emil", "Responder"],
  ] as const;
  const ADDRESSES = { adam: "m", Beth: "z", chris: "k", Dora: "a", emil: "c" } as const;

  beforeAll(async () => {
    crowd = await world.newEvent(organization, "Crowded");
    for (const [name, ...held] of PEOPLE) {
      const person = await world.person(name, { events: [[crowd, ...held]] });
      const email = `${ADDRESSES[name]}.${word}@example.org`;
      await heed.sql("update users set email = $1 where id = $2", [email, person.id]);
      people[name] = { ...person, email };
    }
  });

  const named = ({ body }: Reply): string[] => body.users.map(({ name }: TestPerson) => name);
  const who = (name: string): TestPerson => people[name] ?? nora;
  const list = (person: TestPerson, query = "") => world.as(person).get(`${bySlug(crowd)}${query}`);

  test("has each person once, with all roles, and counts persons", async () => {
    const reply = await list(who("emil"));
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, USER_LIST);
    expect(named(reply)).toEqual(["adam", "Beth", "chris", "Dora", "emil"]);
    expect(reply.body.total).toBe(5);
    expect(reply.body.pagination).toEqual({ page: 1, limit: 20, total: 5, totalPages: 1 });
    const beth = reply.body.users[1];
    expect(beth).toMatchObject({
      id: who("Beth").id,
      email: who("Beth").email,
      avatarUrl: null,
      lastActivity: null,
    });
    expect(beth.roles.toSorted()).toEqual(["Admin", "Reporter"]);
  });

  test("by id is the same for Admins, and has everybody at once", async () => {
    const reply = await world.as(who("Beth")).get(byId(crowd));
    expectShape(reply.body, USER_LIST);
    const { users } = (await list(who("Beth"))).body;
    expect(reply.body).toMatchObject({ users, total: 5 });
    expect((await world.as(sam).get(byId(crowd))).body).toEqual(reply.body);
    const [held, admin] = await administered(1);
    if (!admin) throw new Error("one admin");
    await heed.sql(
      `with made as (
         insert into users (email, name, password_hash)
         select 'p' || n || $2 || '@example.org', 'Person ' || n, '-' from generate_series(1, 120) n returning id
       ) insert into event_roles (event_id, user_id, role_name) select $1, id, 'Reporter' from made`,
      [held.id, generateUniqueWord()],
    );
    const { body } = await world.as(admin).get(byId(held));
    expect([body.users.length, body.total]).toEqual([121, 121]);
  });

  test("is sorted by name, address or strongest role, in either order", async () => {
    const sorted = async (query: string) => named(await list(who("Beth"), query));
    expect(await sorted("?sort=name&order=desc")).toEqual(["emil", "Dora", "chris", "Beth", "adam"]);
    expect(await sorted("?sort=email")).toEqual(["Dora", "emil", "chris", "adam", "Beth"]);
    expect(await sorted("?sort=email&order=desc")).toEqual(["Beth", "adam", "chris", "emil", "Dora"]);
    // Those of the same role by name.
    expect(await sorted("?sort=role")).toEqual(["adam", "Dora", "chris", "emil", "Beth"]);
    expect(await sorted("?sort=role&order=desc")).toEqual(["Beth", "chris", "emil", "adam", "Dora"]);
  });

  test("is searched by name or address, literally, in any letter case", async () => {
    const found = async (search: string, more = "") =>
      named(await list(who("emil"), `?search=${encodeURIComponent(search)}${more}`));
    expect(await found("ADAM")).toEqual(["adam"]);
    expect(await found(` ${who("Dora").email.toUpperCase()} `)).toEqual(["Dora"]);
    expect(await found(word)).toHaveLength(5);
    for (const wildcard of ["%", "_", "a%m", "\\"]) expect(await found(wildcard), wildcard).toEqual([]);
    const narrowed = await list(who("emil"), "?search=e&role=Responder");
    expect([named(narrowed), narrowed.body.total]).toEqual([["chris", "emil"], 2]);
  });

  test("is narrowed to those who hold a role, in any letter case", async () => {
    const holding = async (role: string) => named(await list(who("emil"), `?role=${role}`));
    expect(await holding("Reporter")).toEqual(["adam", "Beth", "chris", "Dora"]);
    expect(await holding("responder")).toEqual(["chris", "emil"]);
    expect(await holding("ADMIN")).toEqual(["Beth"]);
    const { body } = await list(who("emil"), "?role=Responder");
    // What is narrowed is the people, not what is told of them.
    expect(body.users[0].roles.toSorted()).toEqual(["Reporter", "Responder"]);
    expect(body.total).toBe(2);
  });

  test("has pages", async () => {
    const pages = await runConcurrently(3, (index) => list(who("emil"), `?limit=2&page=${index + 1}`));
    expect(pages.flatMap(named)).toEqual(["adam", "Beth", "chris", "Dora", "emil"]);
    for (const { body } of pages) expect(body.total).toBe(5);
    const beyond = await list(who("emil"), "?limit=2&page=4");
    expect([beyond.body.users, beyond.body.total]).toEqual([[], 5]);
  });

  test("shows a Reporter the team and themself by name and role, and no address, not even by searching or sorting", async () => {
    const reply = await list(who("adam"));
    expectShape(reply.body, USER_LIST);
    expect(named(reply)).toEqual(["adam", "Beth", "chris", "emil"]);
    expect(reply.body).toMatchObject({ total: 4, pagination: { total: 4, totalPages: 1 } });
    for (const hidden of ["email", "joinDate", "lastActivity"])
      expect(reply.body.users.map((user: Record<string, unknown>) => user[hidden])).toEqual(
        Array(4).fill(null),
      );
    expect(reply.text).not.toContain(word);
    expect(reply.text).not.toContain(who("Dora").id);
    expect((await list(who("adam"), "?search=dora")).body).toMatchObject({ users: [], total: 0 });
    expect(named(await list(who("adam"), "?role=Reporter"))).toEqual(["adam", "Beth", "chris"]);
    for (const search of [word, who("Beth").email, "@", "example.org"])
      expect((await list(who("adam"), `?search=${encodeURIComponent(search)}`)).body).toMatchObject({
        users: [],
        total: 0,
      });
    expect(named(await list(who("adam"), "?search=beth"))).toEqual(["Beth"]);
    for (const order of ["asc", "desc"])
      expect(named(await list(who("adam"), `?sort=email&order=${order}`))).toEqual(
        named(await list(who("adam"), `?sort=name&order=${order}`)),
      );
    const { body } = await list(who("adam"), "?role=Responder");
    expect(body.users.map(({ roles: held }: { roles: string[] }) => held.toSorted())).toEqual([
      ["Reporter", "Responder"],
      ["Responder"],
    ]);
  });

  test("shows addresses to the team, also to those of it who are Reporters as well, and to SystemAdmins", async () => {
    for (const person of [who("chris"), who("emil"), who("Beth"), sam])
      expect((await list(person)).body.users.map(({ email }: TestPerson) => email)).toEqual(
        ["m", "z", "k", "a", "c"].map((letter) => `${letter}.${word}@example.org`),
      );
  });

  test("show when a person joined, and when they last acted in this event", async () => {
    const person = who("Dora");
    await world.grant(person, otherEvent, "Reporter");
    await world.report(person, otherEvent);
    const dora = async () =>
      (await list(who("emil"), "?search=dora")).body.users[0] as {
        joinDate: string;
        lastActivity: string | null;
      };
    expect((await dora()).lastActivity).toBeNull();
    const report = await world.report(person, crowd);
    const { joinDate, lastActivity } = await dora();
    const [entry] = await heed.sql<{ at: Date }>(
      "select max(created_at) as at from incident_history where incident_id = $1",
      [report.id],
    );
    expect(lastActivity).toBe(entry?.at.toISOString());
    expect(joinDate < (lastActivity ?? "")).toBe(true);
    const seenByReporter = (await list(person)).body.users.find(({ id }: TestPerson) => id === person.id);
    expect(seenByReporter).toMatchObject({ joinDate: null, lastActivity: null });
  });
});

describe("a person", () => {
  const show = (person: TestPerson, of: { id: string }) => world.as(person).get(one(of));

  test("is shown to the team", async () => {
    const person = await newcomer("Reporter", "Responder");
    const reply = await show(omar, person);
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, {
      user: USER,
      roles: checkList(ROLE),
      invited: checkExactly(false),
      joinDate: checkTime,
      lastActivity: checkNullable(checkTime),
    });
    expect(reply.body.user).toEqual({ ...person, avatarUrl: null });
    expect(reply.body.roles.toSorted()).toEqual(["Reporter", "Responder"]);
    expect(reply.body.lastActivity).toBeNull();
    await world.report(person, event);
    expect((await show(omar, person)).body.lastActivity).not.toBeNull();
    expect((await show(sam, { id: person.id.toUpperCase() })).body.user.id).toBe(person.id);
  });

  test("without a role in the event is as if there were nobody", async () => {
    for (const path of ["", "/activity", "/incidents"]) {
      const absent = await world.as(omar).get(`${one({ id: UNKNOWN_ID })}${path}`);
      expectRefusal(absent, "404 NOT_FOUND");
      for (const person of [ines, berta, nora])
        expect((await world.as(omar).get(`${one(person)}${path}`)).body).toEqual(absent.body);
    }
  });
});

describe("what a person did", () => {
  const ACTIVITY = checkRecord({
    id: checkText,
    type: checkExactly("report", "comment", "audit"),
    action: checkText,
    title: checkText,
    incidentId: checkNullable(checkUuid),
    timestamp: checkTime,
  });
  const activity = async (person: TestPerson, query = "", of: EventRef = event) =>
    (await world.as(sam).get(`${one(person, of)}/activity${query}`)).body;

  test("is listed newest first: reports, comments, and the rest from the audit log", async () => {
    const person = await newcomer("Admin", "Reporter");
    const own = await world.report(person, event, { title: "One's own report here" });
    const other = await world.report(maya, event, { title: "Somebody else's report" });
    await world.as(person).patch(`/api/events/${event.id}/incidents/${other.id}/state`, {
      state: "acknowledged",
      notes: "The secret words of the team.",
    });
    await world.as(person).post(roles(), { userId: nora.id, roleName: "Reporter" });
    await world.as(person).delete(roles(), { userId: nora.id, roleName: "Reporter" });

    const reply = await world.as(omar).get(`${one(person)}/activity`);
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { activities: checkList(ACTIVITY), total: checkCount, pagination: PAGINATION });
    const { activities, total } = reply.body;
    expect(total).toBe(activities.length);
    type Entry = { id: string; type: string; incidentId: string | null; title: string; timestamp: string };
    const activityEntries = activities.map(({ type, incidentId }: Entry) => [type, incidentId]);
    expect(activityEntries.slice(0, 2)).toEqual([
      ["audit", null],
      ["audit", null],
    ]);
    expect(activityEntries).toContainEqual(["comment", other.id]);
    expect(activityEntries).toContainEqual(["report", other.id]);
    expect(activityEntries.at(-1)).toEqual(["report", own.id]);
    expect(activities.at(-1).title).toBe("One's own report here");
    const times = activities.map(({ timestamp }: Entry) => timestamp);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(new Set(activities.map(({ id }: Entry) => id)).size).toBe(total);
    expect(reply.text).not.toContain("secret words");

    const pages = [];
    for (let page = 1; page <= Math.ceil(total / 2); page += 1)
      pages.push(...(await activity(person, `?limit=2&page=${page}`)).activities);
    expect(pages).toEqual(activities);
    const far = await activity(person, "?page=99");
    expect([far.activities, far.total]).toEqual([[], total]);
    expect((await activity(person, "?limit=500")).pagination).toMatchObject({ limit: 100, total });
  });

  test("leaves out reports that were sent without a name", async () => {
    const person = await newcomer("Reporter");
    const hidden = await world.report(person, event, { anonymous: true });
    expect(hidden.reporterId).toBeNull();
    expect(await activity(person)).toMatchObject({ activities: [], total: 0 });
    const named = await world.report(person, event);
    expect((await activity(person)).activities).toMatchObject([{ type: "report", incidentId: named.id }]);
  });

  test("is of this event only", async () => {
    const person = await newcomer("Reporter");
    await world.grant(person, otherEvent, "Reporter", "Admin");
    const elsewhere = await world.report(person, otherEvent);
    await world.as(person).patch(`/api/events/slug/${otherEvent.slug}`, { description: "Elsewhere." });
    expect((await activity(person)).total).toBe(0);
    const there = await activity(person, "", otherEvent);
    expect(there.activities.map(({ type }: { type: string }) => type)).toEqual(["audit", "report"]);
    expect(there.activities[1].incidentId).toBe(elsewhere.id);
  });
});

describe("the incidents of a person", () => {
  const list = (person: TestPerson, query = "", by: TestPerson = omar) =>
    world.as(by).get(`${one(person)}/incidents${query}`);
  const ids = ({ body }: Reply): string[] => body.incidents.map(({ id }: ReportRecord) => id);

  test("are those that they sent, those that they are assigned, or both", async () => {
    const person = await newcomer("Responder", "Reporter");
    await world.grant(person, otherEvent, "Reporter");
    const sent = await world.report(person, event);
    const given = await world.move(await world.report(maya, event), "investigating", {
      assignedToUserId: person.id,
    });
    const both = await world.move(await world.report(person, event), "investigating", {
      assignedToUserId: person.id,
    });
    await world.report(person, event, { anonymous: true });
    await world.report(person, otherEvent);

    const reply = await list(person);
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { incidents: checkList(INCIDENT), total: checkCount, pagination: PAGINATION });
    expect(ids(reply)).toEqual([both.id, given.id, sent.id]);
    expect(reply.body.pagination).toEqual({ page: 1, limit: 20, total: 3, totalPages: 1 });
    expect((await list(person, "?type=all")).body).toEqual(reply.body);
    const submitted = await list(person, "?type=submitted");
    expect([ids(submitted), submitted.body.total]).toEqual([[both.id, sent.id], 2]);
    const assigned = await list(person, "?type=assigned");
    expect([ids(assigned), assigned.body.total]).toEqual([[both.id, given.id], 2]);
    const last = await list(person, "?limit=2&page=2");
    expect([ids(last), last.body.total]).toEqual([[sent.id], 3]);
    expect(last.body.pagination).toEqual({ page: 2, limit: 2, total: 3, totalPages: 2 });
    expect((await list(person, "?limit=500")).body.pagination.limit).toBe(100);
    expect(ids(await list(person, "?type=submitted&status=submitted"))).toEqual([sent.id]);
    expect((await list(person, "", sam)).body).toEqual(reply.body);
    expectRefusal(await list(person, "?type=mine"), "400 VALIDATION_ERROR");
  });
});

describe("giving a role", () => {
  const grant = (body: unknown, by: TestPerson = ada) => world.as(by).post(roles(), body);
  const ASSIGNMENT = checkRecord({
    id: checkUuid,
    userId: checkUuid,
    eventId: checkUuid,
    roleName: ROLE,
    createdAt: checkTime,
  });

  test("works in any letter case, from the next request on", async () => {
    const person = await world.person("Given Person");
    expect((await world.as(person).get(bySlug())).status).toBe(403);
    const reply = await grant({ userId: person.id.toUpperCase(), roleName: "RESPONDER" });
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { message: checkText, userEventRole: ASSIGNMENT });
    const assignment = { userId: person.id, eventId: event.id, roleName: "Responder" };
    expect(reply.body.userEventRole).toMatchObject(assignment);
    expect(await rolesIn(person)).toEqual(["Responder"]);
    expect((await world.as(person).get(bySlug())).status).toBe(200);
  });

  test("twice gives the assignment that is there; another role comes beside it", async () => {
    const person = await newcomer("Reporter");
    const replies = await runConcurrently(10, () => grant({ userId: person.id, roleName: "Responder" }));
    expect(countOutcomes(replies)).toEqual({ 200: 10 });
    expect(new Set(replies.map(({ body }) => body.userEventRole.id)).size).toBe(1);
    expect(await rolesIn(person)).toEqual(["Reporter", "Responder"]);
    const entries = "action = 'eventRole.grant' and object_id = $1";
    expect(await heed.rows("audit_entries", entries, [person.id])).toBe(1);
  });

  test("is recorded with the right by which it was done", async () => {
    const person = await world.person("Recorded Person");
    await grant({ userId: person.id, roleName: "Reporter" }, sam);
    await grant({ userId: person.id, roleName: "Admin" });
    const entries = await heed.sql(
      "select actor_id, by_right, data->>'role' as role from audit_entries where object_id = $1 order by seq",
      [person.id],
    );
    expect(entries).toEqual([
      { actor_id: sam.id, by_right: "SystemAdmin", role: "Reporter" },
      { actor_id: ada.id, by_right: "event:Admin", role: "Admin" },
    ]);
  });

  test.each([
    ["nobody", { roleName: "Reporter" }, "userId"],
    ["the system's role", { userId: nora.id, roleName: "SystemAdmin" }, "roleName"],
  ])("refuses %s", async (_, body, field) => {
    for (const method of ["POST", "DELETE"]) {
      const reply = await world.as(ada).send(method, roles(), body);
      expectRefusal(reply, "400 VALIDATION_ERROR");
      expect(reply.body.details).toMatch(new RegExp(`^${field}: `));
    }
    expect(await rolesIn(nora)).toEqual([]);
  });

  test("needs an account", async () => {
    expectRefusal(await grant({ userId: UNKNOWN_ID, roleName: "Reporter" }), "404 NOT_FOUND");
  });
});

describe("taking a role", () => {
  const revoke = (body: unknown, by: TestPerson = ada, of: EventRef = event) =>
    world.as(by).delete(roles(of), body);

  test("revokes that role from the next request on, and keeps the others", async () => {
    const person = await newcomer("Reporter", "Responder");
    const report = await world.report(maya, event);
    const path = `/api/events/${event.id}/incidents/${report.id}`;
    expect((await world.as(person).get(path)).status).toBe(200);
    const reply = await revoke({ userId: person.id, roleName: "responder" });
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { message: checkText });
    expect(await rolesIn(person)).toEqual(["Reporter"]);
    expectRefusal(await world.as(person).get(path), "404 NOT_FOUND");
    await revoke({ userId: person.id, roleName: "Reporter" });
    expectRefusal(await world.as(person).get(path), "403 FORBIDDEN");
  });

  test("that isn't held, or is held elsewhere, is 404", async () => {
    for (const [userId, roleName] of [
      [maya.id, "Responder"],
      [ines.id, "Admin"],
      [UNKNOWN_ID, "Reporter"],
    ])
      expectRefusal(await revoke({ userId, roleName }), "404 NOT_FOUND");
    expect([await rolesIn(maya), await rolesIn(ines, otherEvent)]).toEqual([["Reporter"], ["Admin"]]);
  });

  test("ten times concurrently revokes it once", async () => {
    const person = await newcomer("Reporter");
    const replies = await runConcurrently(10, () => revoke({ userId: person.id, roleName: "Reporter" }));
    expect(countOutcomes(replies)).toEqual({ 200: 1, "404 NOT_FOUND": 9 });
    const entries = "action = 'eventRole.revoke' and object_id = $1";
    expect(await heed.rows("audit_entries", entries, [person.id])).toBe(1);
  });

  test("concurrently with giving it fails only where it isn't held", async () => {
    const person = await newcomer("Reporter");
    const body = { userId: person.id, roleName: "Responder" };
    const replies = await runConcurrently(40, (index) =>
      index % 2 ? revoke(body) : world.as(sam).post(roles(), body),
    );
    const given = replies.filter((_, index) => index % 2 === 0);
    expect(countOutcomes(given)).toEqual({ 200: 20 });
    for (const reply of replies) expect([200, 404]).toContain(reply.status);
  });
});

describe("removing a person", () => {
  test("takes all their roles here, and nothing else", async () => {
    const person = await newcomer("Reporter", "Responder");
    await world.grant(person, otherEvent, "Reporter");
    const report = await world.report(person, event);
    const reply = await world.as(ada).delete(one(person));
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { message: checkText });
    expect([await rolesIn(person), await rolesIn(person, otherEvent)]).toEqual([[], ["Reporter"]]);
    expectRefusal(await world.as(person).get(bySlug()), "403 FORBIDDEN");
    expect(await account(person)).toMatchObject({ email: person.email });
    const remaining = await world.as(ada).get(`/api/events/${event.id}/incidents/${report.id}`);
    expect(remaining.body.incident.reporterId).toBe(person.id);
    expectRefusal(await world.as(ada).delete(one(person)), "404 NOT_FOUND");
  });

  test("is for people of this event", async () => {
    for (const person of [ines, berta, nora, { id: UNKNOWN_ID }, { id: "no-id" }])
      expectRefusal(await world.as(ada).delete(one(person)), "404 NOT_FOUND");
    expect(await rolesIn(ines, otherEvent)).toEqual(["Admin"]);
  });
});

describe("changing a person", () => {
  type Change = { name?: unknown; email?: unknown; role?: unknown };
  const change = (person: TestPerson, { name, email, role }: Change = {}, by: TestPerson = ada) =>
    world.as(by).patch(one(person), {
      name: name === undefined ? person.name : name,
      email: email === undefined ? person.email : email,
      role: role === undefined ? "Reporter" : role,
    });

  test("replaces all their roles here by one, in any letter case, and leaves those elsewhere", async () => {
    const person = await newcomer("Reporter", "Responder");
    await world.grant(person, otherEvent, "Responder");
    for (const [role, exact] of [
      ["admin", "Admin"],
      ["Reporter", "Reporter"],
    ] as const) {
      const reply = await change(person, { role });
      expect(reply.status, reply.text).toBe(200);
      expectShape(reply.body, { message: checkText });
      expect(await rolesIn(person)).toEqual([exact]);
    }
    expect(await rolesIn(person, otherEvent)).toEqual(["Responder"]);
    expectRefusal(await world.as(person).get(byId()), "403 FORBIDDEN");
  });

  test("leaves the account, the system role and another tenant's roles of whoever has them", async () => {
    const person = await world.person("Doubly Known", {
      systemAdmin: true,
      organization: [foreignOrganization, "org_admin"],
      events: [
        [event, "Reporter"],
        [foreignEvent, "Admin"],
      ],
    });
    const email = `${generateUniqueWord()}@example.org`;
    expect((await change(person, { email, role: "Responder" })).status).toBe(200);
    expect(await account(person)).toEqual({ name: person.name, email: person.email });
    expect([await rolesIn(person), await rolesIn(person, foreignEvent)]).toEqual([["Responder"], ["Admin"]]);
    const { roles: held } = (await world.as(person).get("/api/session")).body.user;
    expect(held.system).toEqual(["SystemAdmin"]);
    expect(held.organizations).toMatchObject([{ organizationId: foreignOrganization.id, role: "org_admin" }]);
    // Nor does the way back into the account lead through the new address.
    expect((await nobody.post("/api/auth/forgot-password", { email })).status).toBe(200);
    await nobody.post("/api/auth/forgot-password", { email: nora.email });
    await waitForMails(heed, nora.email);
    expect(readMails(heed).filter(({ to }) => to === email)).toEqual([]);
    expect(await heed.rows("password_resets", "user_id = $1", [person.id])).toBe(0);
  });

  test("keeps the day on which they joined", async () => {
    const person = await newcomer("Reporter");
    await heed.sql("update event_roles set created_at = '2026-01-01T00:00:00Z' where user_id = $1", [
      person.id,
    ]);
    await change(person, { role: "Responder" });
    expect((await world.as(ada).get(one(person))).body.joinDate).toBe("2026-01-01T00:00:00.000Z");
  });

  test("gives them another name, and tells them by mail", async () => {
    const person = await newcomer("Reporter");
    expect((await change(person, { name: "  Anders  Named " })).status).toBe(200);
    expect((await account(person))?.name).toBe("Anders  Named");
    expect((await world.as(person).get("/api/session")).body.user.name).toBe("Anders  Named");
    expect((await waitForMails(heed, person.email))[0]?.subject).toBe("Your name was changed");
    const entries = await heed.sql(
      "select data->'renamed' as renamed from audit_entries where action = 'eventUser.change' and object_id = $1",
      [person.id],
    );
    expect(entries).toEqual([{ renamed: true }]);
  });

  test("sends no mail about a name that stays, or that they changed themselves", async () => {
    const person = await newcomer("Admin");
    expect((await change(person, { role: "Admin" })).status).toBe(200);
    expect((await change(person, { name: "Of my own choice", role: "Admin" }, person)).status).toBe(200);
    expect((await change(person, { name: "By Ada", role: "Admin" })).status).toBe(200);
    await waitForMails(heed, person.email);
    const about = "Your name was changed";
    expect(
      readMails(heed).filter(({ to, subject }) => to === person.email && subject === about),
    ).toHaveLength(1);
  });

  test("refuses a member that is missing or not right, and changes nothing", async () => {
    const person = await newcomer("Responder");
    const refused: [Change, string][] = [
      [{ name: "  " }, "name"],
      [{ email: "somebody" }, "email"],
      [{ role: "SystemAdmin" }, "role"],
      [{ role: null }, "role"],
    ];
    for (const [fields, field] of refused) {
      const reply = await change(person, { name: "Not to be stored", role: "Admin", ...fields });
      expectRefusal(reply, "400 VALIDATION_ERROR");
      expect(reply.body.details).toMatch(new RegExp(`^${field}: `));
    }
    const { body } = await world.as(ada).patch(one(person), {});
    for (const field of ["name", "email", "role"]) expect(body.details).toContain(`${field}: is missing`);
    expect(await account(person)).toEqual({ name: person.name, email: person.email });
    expect(await rolesIn(person)).toEqual(["Responder"]);
  });

  test("is for people of this event", async () => {
    for (const person of [ines, berta, nora]) {
      expectRefusal(await change(person, { name: "Taken over", role: "Admin" }), "404 NOT_FOUND");
      expect((await account(person))?.name).toBe(person.name);
    }
  });

  test("by two Admins at once leaves one role", async () => {
    const second = await newcomer("Admin");
    const person = await newcomer("Reporter");
    const replies = await Promise.all([
      change(person, { role: "Responder" }),
      change(person, { role: "Admin" }, second),
    ]);
    expect(countOutcomes(replies)).toEqual({ 200: 2 });
    expect(await rolesIn(person)).toHaveLength(1);
  });

  test("many times at once by a SystemAdmin, where there is no Admin, leaves one role, too", async () => {
    const empty = await world.newEvent(organization);
    const person = await world.person("Tossed Person", { events: [[empty, "Reporter"]] });
    const wanted = ["Responder", "Reporter"];
    const replies = await runConcurrently(12, (index) =>
      world
        .as(sam)
        .patch(one(person, empty), { name: person.name, email: person.email, role: wanted[index % 2] }),
    );
    expect(countOutcomes(replies)).toEqual({ 200: 12 });
    expect(await rolesIn(person, empty)).toHaveLength(1);
    await Promise.all([
      world.as(sam).patch(one(person, empty), { name: "N", email: person.email, role: "Admin" }),
      world.as(sam).delete(one(person, empty)),
    ]);
    // Changed and then removed, or removed before anything was changed.
    expect(await rolesIn(person, empty)).toEqual([]);
  });

  describe("to another address", () => {
    const waiting = ({ id }: TestPerson) =>
      heed.sql("select new_email, requested_by from email_changes where user_id = $1", [id]);
    const confirm = (token: string, ask = {}) => nobody.post("/api/auth/confirm-email", { token }, ask);
    const address = () => `${generateUniqueWord()}@example.org`;

    /** The token of the newest link in so many mails to the present address. */
    async function tokenOf(person: TestPerson, mailsSoFar = 1): Promise<string> {
      const mails = await waitForMails(heed, person.email, mailsSoFar);
      const links = mails.findLast(({ links }) => links.length > 0)?.links ?? [];
      return new URL(links[0] ?? "http://missing/").searchParams.get("token") ?? "";
    }

    test("by an Admin waits until the owner of the account confirms it", async () => {
      const person = await newcomer("Reporter");
      const email = address();
      const reply = await change(person, {
        name: "Named At Once",
        email: ` ${email.toUpperCase()}`,
        role: "Responder",
      });
      expect(reply.status, reply.text).toBe(200);
      expectShape(reply.body, { message: checkText });
      expect(reply.body.message).toMatch(/confirm/);
      expect(reply.text).not.toContain(person.email);
      // Name and role apply; the address is the one that it was.
      expect(await account(person)).toEqual({ name: "Named At Once", email: person.email });
      expect(await rolesIn(person)).toEqual(["Responder"]);
      expect(await waiting(person)).toEqual([{ new_email: email, requested_by: ada.id }]);
      expect((await world.as(ada).get(one(person))).body.user.email).toBe(person.email);

      // The other one says that the name was changed.
      const mails = await waitForMails(heed, person.email, 2);
      const mail = mails.find(({ links }) => links.length > 0);
      expect(mail?.text).toContain(email);
      expect(readMails(heed).filter(({ to }) => to === email)).toEqual([]);
      const token = await tokenOf(person, 2);
      expect(mail?.links[0]).toMatch(new RegExp(`^http://localhost:${heed.port}/confirm-email\\?token=`));
      expect(Buffer.from(token, "base64url")).toHaveLength(32);
      expect(await heed.rows("email_changes", "token_hash = sha256($1::bytea)", [token])).toBe(1);

      const confirmed = await confirm(token);
      expect(confirmed.status, confirmed.text).toBe(200);
      expectShape(confirmed.body, { message: checkText });
      expect((await account(person))?.email).toBe(email);
      expect(await waiting(person)).toEqual([]);
      expectRefusal(await confirm(token), "400 CONFIRM_TOKEN_INVALID");
      // Whoever has the old mailbox is told.
      expect((await waitForMails(heed, person.email, 3)).at(-1)?.subject).toBe(
        "Your email address was changed",
      );
    });

    test("by an Admin can't be confirmed after its time", async () => {
      const person = await newcomer("Reporter");
      await change(person, { email: address() });
      const token = await tokenOf(person);
      await heed.sql("update email_changes set expires_at = now() - interval '1 second' where user_id = $1", [
        person.id,
      ]);
      expectRefusal(await confirm(token), "400 CONFIRM_TOKEN_INVALID");
      expect((await account(person))?.email).toBe(person.email);
    });

    test("that somebody has is refused, with name and role as they were", async () => {
      const person = await newcomer("Reporter");
      for (const by of [ada, sam]) {
        const fields = { name: "Not to be stored", email: nora.email.toUpperCase(), role: "Admin" };
        expectRefusal(await change(person, fields, by), "409 EMAIL_TAKEN");
      }
      expect(await account(person)).toEqual({ name: person.name, email: person.email });
      expect(await rolesIn(person)).toEqual(["Reporter"]);
      expect(await waiting(person)).toEqual([]);
    });

    test("that somebody takes meanwhile is refused when it is confirmed", async () => {
      const person = await newcomer("Reporter");
      const email = address();
      await change(person, { email });
      const token = await tokenOf(person);
      const quicker = await world.person("Quicker Person");
      await heed.sql("update users set email = $1 where id = $2", [email, quicker.id]);
      expectRefusal(await confirm(token), "409 EMAIL_TAKEN");
      expect((await account(person))?.email).toBe(person.email);
    });

    test("by a SystemAdmin applies at once, and the former address gets a notice", async () => {
      const person = await newcomer("Admin");
      const email = address();
      await nobody.post("/api/auth/forgot-password", { email: person.email });
      await waitForMails(heed, person.email);
      const reply = await change(person, { email, role: "Admin" }, sam);
      expect(reply.status, reply.text).toBe(200);
      expect(reply.body.message).not.toMatch(/confirm/);
      expect((await account(person))?.email).toBe(email);
      expect(await waiting(person)).toEqual([]);
      const [, notice] = await waitForMails(heed, person.email, 2);
      expect(notice?.links).toEqual([]);
      // What waits in the old mailbox opens nothing any more.
      expect(await heed.rows("password_resets", "user_id = $1", [person.id])).toBe(0);
    });

    test.each([
      ["an Admin", false],
      ["a SystemAdmin", true],
    ])("of one's own, as %s, takes the password and a link sent to the new one", async (_, systemAdmin) => {
      const person = await world.person("Own Address", { systemAdmin, events: [[event, "Admin"]] });
      const email = address();
      const ask = (currentPassword?: string) =>
        world.as(person).patch(one(person), { name: "Renamed", email, role: "Admin", currentPassword });
      for (const wrong of [undefined, "", "not the password"]) {
        const refused = await ask(wrong);
        expectRefusal(refused, "400 VALIDATION_ERROR");
        expect(refused.body.details).toMatch(/^currentPassword: /);
      }
      expect(await account(person)).toEqual({ name: person.name, email: person.email });
      const reply = await ask(PASSWORD);
      expect(reply.status, reply.text).toBe(200);
      expect(reply.body.message).toMatch(/confirm/);
      expect(await account(person)).toEqual({ name: "Renamed", email: person.email });
      expect(await waiting(person)).toEqual([{ new_email: email, requested_by: person.id }]);
      expect((await waitForMails(heed, person.email))[0]?.links).toEqual([]);
      const [link] = (await waitForMails(heed, email))[0]?.links ?? [];
      const token = new URL(link ?? "http://missing/").searchParams.get("token") ?? "";
      expectRefusal(await confirm(token), "400 VALIDATION_ERROR");
      expect((await account(person))?.email).toBe(person.email);
      expect((await world.as(person).post("/api/auth/confirm-email", { token })).status).toBe(200);
      expect((await account(person))?.email).toBe(email);
    });

    test("that is the present one in other letters changes nothing", async () => {
      const person = await newcomer("Reporter");
      const reply = await change(person, { email: ` ${person.email.toUpperCase()} ` });
      expect(reply.status).toBe(200);
      expect(reply.body.message).not.toMatch(/confirm/);
      expect(await waiting(person)).toEqual([]);
    });
  });
});

describe("the last Admin of an event", () => {
  /** The three ways in which somebody stops being one. */
  const WAYS: [string, (by: TestPerson, of: TestPerson, held: EventRef) => Promise<Reply>][] = [
    [
      "loses the role",
      (by, of, held) => world.as(by).delete(roles(held), { userId: of.id, roleName: "Admin" }),
    ],
    ["is removed", (by, of, held) => world.as(by).delete(one(of, held))],
    [
      "gets another role",
      (by, of, held) =>
        world.as(by).patch(one(of, held), { name: of.name, email: of.email, role: "Responder" }),
    ],
  ];
  const admins = ({ id }: EventRef) =>
    heed.rows("event_roles", "event_id = $1 and role_name = 'Admin'", [id]);

  test.each(WAYS)("%s by the hand of a SystemAdmin", async (_, act) => {
    const [held, only] = await administered(1);
    if (!only) throw new Error("one admin");
    expect((await act(sam, only, held)).status).toBe(200);
    expect(await admins(held)).toBe(0);
    const back = await world.as(sam).post(roles(held), { userId: only.id, roleName: "Admin" });
    expect(back.status).toBe(200);
  });

  // Whoever comes second finds the other to be the last, or has already lost the right to ask.
  test.each(WAYS)("stays when two Admins concurrently request that the other %s", async (_, act) => {
    await runConcurrently(3, async () => {
      const [held, first, second] = await administered(2);
      if (!first || !second) throw new Error("two admins");
      const replies = await Promise.all([act(first, second, held), act(second, first, held)]);
      expect(replies.map(({ status }) => status)).toContain(200);
      expect(["409 LAST_ADMIN", "403 FORBIDDEN"]).toContain(
        Object.keys(countOutcomes(replies)).find((outcome) => outcome !== "200"),
      );
      expect(await admins(held)).toBe(1);
    });
  });

  test("remains when all six are removed concurrently, whichever endpoint removes them", async () => {
    const [held, ...people] = await administered(6);
    const replies = await Promise.all(
      people.map((person, index) => (WAYS[index % 3] as (typeof WAYS)[number])[1](person, person, held)),
    );
    expect(countOutcomes(replies)).toEqual({ 200: 5, "409 LAST_ADMIN": 1 });
    expect(await admins(held)).toBe(1);
  });
});
