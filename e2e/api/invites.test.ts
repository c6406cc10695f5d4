import { describe, expect, test } from "vitest";
import { shareService } from "#e2e/support/service.ts";
import {
  checkExactly,
  expectShape,
  INVITE,
  checkList,
  ORGANIZATION,
  checkNullable,
  checkRecord,
  checkText,
  checkTime,
  checkUrl,
  checkBoolean,
} from "#e2e/support/shapes.ts";
import {
  UNKNOWN_ID,
  countOutcomes,
  summarizeResponse,
  runConcurrently,
  expectRefusal,
} from "#e2e/support/concurrent-requests.ts";
import { waitForMails } from "#e2e/support/outbox.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { PASSWORD, TestWorld, type EventRef, type TestPerson, type PlaceRef } from "#e2e/support/world.ts";

/** Invites to organizations (contract 5.3) and to events (contract 6.5), and what using them does (contract 5.3). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, foreignEvent, foreignOrganization, nobody, organization, otherEvent } = world;
const { ada, bruno, ines, olga, sam, viktor } = world;

type Invite = { id: string; code: string } & Record<string, unknown>;

/** The two kinds, and the event's by both of its names: where they are kept, who keeps them, what they give. */
const KINDS = [
  {
    kind: "to an organization",
    path: `/api/organizations/${organization.id}/invites`,
    keeper: olga,
    role: "org_viewer",
    elsewhere: `/api/organizations/${foreignOrganization.id}/invites`,
    elsewhereKeeper: bruno,
  },
  {
    kind: "to an event",
    path: `/api/events/slug/${event.slug}/invites`,
    keeper: ada,
    role: "Reporter",
    elsewhere: `/api/events/${otherEvent.id}/invites`,
    elsewhereKeeper: ines,
  },
];

async function invite(
  terms: Record<string, unknown> = {},
  to: PlaceRef | EventRef = organization,
): Promise<Invite> {
  const path = `/api/${"organizationId" in to ? "events" : "organizations"}/${to.id}/invites`;
  const role = "organizationId" in to ? "Reporter" : "org_viewer";
  const reply = await world.as(sam).post(path, { role, ...terms });
  expect(reply.status, reply.text).toBe(201);
  return reply.body.invite;
}

const stored = async ({ id }: { id: string }) =>
  (await heed.sql("select role, use_count, max_uses, disabled, note from invites where id = $1", [id]))[0];
const uses = async (of: { id: string }): Promise<[number, number]> => [
  (await stored(of))?.use_count,
  await heed.rows("invite_uses", "invite_id = $1", [of.id]),
];
const expire = ({ id }: { id: string }) =>
  heed.sql("update invites set expires_at = now() - interval '1 second' where id = $1", [id]);
const disable = (one: Invite, to: PlaceRef | EventRef) =>
  world
    .as(sam)
    .patch(`/api/${"organizationId" in to ? "events" : "organizations"}/${to.id}/invites/${one.id}`, {
      disabled: true,
    });

const use = (person: TestPerson, { code }: { code: string }) =>
  world.as(person).post(`/api/organizations/invite/${code}/use`);
const redeem = (person: TestPerson, { code }: { code: string }) =>
  world.as(person).post(`/api/invites/${code}/redeem`);

const rolesIn = async (person: TestPerson, { id }: EventRef) =>
  (
    await heed.sql<{ role_name: string }>(
      "select role_name from event_roles where event_id = $1 and user_id = $2 order by role_name",
      [id, person.id],
    )
  ).map(({ role_name }) => role_name);
const roleIn = async (person: TestPerson, { id }: PlaceRef) =>
  (
    await heed.sql<{ role: string }>(
      "select role from organization_members where organization_id = $1 and user_id = $2",
      [id, person.id],
    )
  )[0]?.role;

const soon = () => new Date(Date.now() + 3_600_000).toISOString();

describe.each(KINDS)("an invite $kind", ({ path, keeper, role, elsewhere, elsewhereKeeper }) => {
  const create = (body: unknown) => world.as(keeper).post(path, body);
  const list = async (): Promise<Invite[]> => (await world.as(keeper).get(path)).body.invites;
  const one = async (terms = {}): Promise<Invite> => (await create({ role, ...terms })).body.invite;

  test("is created with its terms", async () => {
    const terms = { role, expiresAt: soon(), maxUses: 3, note: "For the stewards." };
    const reply = await create({ ...terms, useCount: 2, code: "mine", disabled: true });
    expect(reply.status, reply.text).toBe(201);
    expectShape(reply.body, { message: checkText, invite: INVITE });
    const { invite: made } = reply.body;
    expect(made).toMatchObject({ ...terms, useCount: 0, disabled: false });
    expect(made.url).toBe(`http://localhost:${heed.port}/invite/${made.code}`);
    // 128 bits at least, in an alphabet of 62.
    expect(made.code).toMatch(/^[A-Za-z0-9]{22,}$/);
    expect((await list())[0]).toEqual(made);
  });

  test("is listed, newest first, also when it can no longer be used", async () => {
    const [older, newer] = [await one(), await one({ maxUses: 1 })];
    await world.as(keeper).patch(`${path}/${older.id}`, { disabled: true });
    await expire(newer);
    const { body } = await world.as(keeper).get(path);
    expectShape(body, { invites: checkList(INVITE) });
    expect(body.invites.slice(0, 2).map(({ id }: Invite) => id)).toEqual([newer.id, older.id]);
    expect(body.invites[1].disabled).toBe(true);
  });

  test("is disabled, enabled and annotated, each by itself", async () => {
    const { id } = await one({ note: "First", maxUses: 2 });
    const change = (body: unknown) => world.as(keeper).patch(`${path}/${id}`, body);
    const reply = await change({ disabled: true });
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { message: checkText, invite: INVITE });
    expect(await stored({ id })).toMatchObject({ disabled: true, note: "First" });
    await change({ note: " Second " });
    expect(await stored({ id })).toMatchObject({ disabled: true, note: "Second" });
    await change({ disabled: false, note: null });
    expect(await stored({ id })).toMatchObject({ disabled: false, note: null });
    await change({ note: "Third", role: "Admin", maxUses: 100, useCount: 1, code: "mine" });
    expect(await stored({ id })).toEqual({ role, use_count: 0, max_uses: 2, disabled: false, note: "Third" });
    expect((await list()).find((found) => found.id === id)).toMatchObject({ note: "Third", disabled: false });
  });

  test("of another place is not to be found here, is not listed, and stays as it is", async () => {
    const foreign: Invite = (await world.as(elsewhereKeeper).post(elsewhere, { role })).body.invite;
    const otherKind = path.includes("organizations") ? await invite({}, event) : await invite();
    const ids = (await list()).map(({ id }) => id);
    const absent = await world.as(keeper).patch(`${path}/${UNKNOWN_ID}`, { disabled: true });
    for (const hidden of [foreign, otherKind]) {
      expect(ids).not.toContain(hidden.id);
      const reply = await world.as(keeper).patch(`${path}/${hidden.id}`, { disabled: true });
      expectRefusal(reply, "404 NOT_FOUND");
      expect(reply.body).toEqual(absent.body);
      expect(await stored(hidden)).toMatchObject({ disabled: false });
    }
  });

  test("leaves an entry in the audit log when it is made, changed and used", async () => {
    const made = await one();
    await world.as(keeper).patch(`${path}/${made.id}`, { note: "Seen" });
    const person = await world.person("Audited Person");
    await redeem(person, made);
    const entries = await heed.sql(
      "select action, actor_id, by_right from audit_entries where object_id = $1 order by seq",
      [made.id],
    );
    const right = path.includes("organizations") ? "organization:org_admin" : "event:Admin";
    expect(entries).toEqual([
      { action: "invite.create", actor_id: keeper.id, by_right: right },
      { action: "invite.change", actor_id: keeper.id, by_right: right },
      { action: "invite.use", actor_id: person.id, by_right: "invite" },
    ]);
  });
});

describe.each(KINDS)("invites $kind by email", ({ path, keeper, role, elsewhere, elsewhereKeeper }) => {
  const mailed = (one: string) => one.replace(/invites$/, "mailed-invites");
  const send = (emails: string[], person = keeper, at = path) =>
    world.as(person).post(mailed(at), { emails, role });
  const address = () => `${generateUniqueWord()}@example.org`;
  const list = async (): Promise<Invite[]> => (await world.as(keeper).get(path)).body.invites;
  const anonymize = ({ id: _id, code: _code, url: _url, note: _note, ...terms }: Invite) => terms;

  test("look the same for an address with an account and one without", async () => {
    const known = await world.person("Known Elsewhere", { events: [[foreignEvent, "Admin"]] });
    const unknown = address();
    const before = (await list()).length;
    const [first, second] = [await send([known.email]), await send([unknown])];
    for (const reply of [first, second]) {
      expect(reply.status, reply.text).toBe(201);
      expectShape(reply.body, { message: checkText, invites: checkList(INVITE) });
    }
    const [one, other] = [first.body.invites[0], second.body.invites[0]];
    expect(Object.keys(anonymize(one))).toEqual(Object.keys(anonymize(other)));
    const { createdAt: _at, expiresAt: _until, ...terms } = anonymize(one);
    expect(anonymize(other)).toMatchObject(terms);
    expect(terms).toEqual({ role, maxUses: 1, useCount: 0, disabled: false });
    expect((await list()).length).toBe(before + 2);
    const people = path.includes("events") ? `/api/events/slug/${event.slug}/users` : `${path}/../members`;
    expect((await world.as(keeper).get(new URL(people, "http://x").pathname)).text).not.toContain(known.name);
    expect((await redeem(known, one)).status).toBe(200);
  });

  test("arrive in the language of the account or of whoever invites, and say nothing of reports", async () => {
    const known = await world.person("Kennerin", { events: [[foreignEvent, "Reporter"]] });
    await heed.sql("update users set locale = 'de' where id = $1", [known.id]);
    const unknown = address();
    await send([known.email, unknown]);
    const [german] = await waitForMails(heed, known.email);
    const [english] = await waitForMails(heed, unknown);
    expect(german?.subject).toBe("Sie sind eingeladen");
    expect(german?.text).toContain("Guten Tag Kennerin");
    expect(english?.text).toContain("re invited to join");
    expect(english?.text).not.toMatch(/report|incident|conduct|Responder|Kennerin/i);
    const link = english?.links.find((one) => one.includes("/invite/")) ?? "";
    expect((await list()).map(({ url }) => url)).toContain(link);
  });

  test("are refused as a whole for one bad address, which is named", async () => {
    const [good, before] = [address(), (await list()).length];
    const reply = await send([good, "maya at example"]);
    expectRefusal(reply, "400 VALIDATION_ERROR");
    expect(reply.text).toContain("maya at example");
    expect((await list()).length).toBe(before);
    expectRefusal(await send(Array.from({ length: 21 }, address)), "400 VALIDATION_ERROR");
    expectRefusal(await send([]), "400 VALIDATION_ERROR");
  });

  test("are made once under a key, and only by who manages invites there", async () => {
    const [email, before] = [address(), (await list()).length];
    const again = () =>
      world
        .as(keeper)
        .post(mailed(path), { emails: [email], role }, { headers: { "Idempotency-Key": email } });
    const [one, other] = [await again(), await again()];
    expect(other.body).toEqual(one.body);
    expect((await list()).length).toBe(before + 1);
    expectRefusal(await send([address()], viktor), "403 FORBIDDEN");
    expect((await send([address()], keeper, elsewhere)).status).toBe(403);
    expect((await send([address()], elsewhereKeeper)).status).toBe(403);
    expect((await list()).length).toBe(before + 1);
  });
});

describe("what the bearer of a code sees", () => {
  const ORGANIZATION_SEEN = checkRecord({
    name: checkText,
    slug: checkText,
    logoUrl: checkNullable(checkUrl),
  });
  const seen = (roles: string[]) =>
    checkRecord({ role: checkExactly(...roles), expiresAt: checkNullable(checkTime), usable: checkBoolean });
  const seenOfAny = (roles: string[]) =>
    checkRecord({
      role: checkExactly(...roles),
      expiresAt: checkNullable(checkTime),
      usable: checkBoolean,
      outsidePerson: checkBoolean,
    });
  const ofOrganization = ({ code }: { code: string }) => nobody.get(`/api/organizations/invite/${code}`);
  const ofAny = ({ code }: { code: string }) => nobody.get(`/api/invites/${code}`);
  const terms = () => ({ expiresAt: soon(), maxUses: 4, note: "A note among us" });

  test("of an invite to an organization, and nothing else", async () => {
    const made = await invite({ ...terms(), role: "org_admin" });
    const reply = await ofOrganization(made);
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, {
      organization: ORGANIZATION_SEEN,
      invite: seen(["org_admin", "org_viewer"]),
    });
    expect(reply.body).toEqual({
      organization: { name: organization.name, slug: organization.slug, logoUrl: null },
      invite: { role: "org_admin", expiresAt: made.expiresAt, usable: true },
    });
    expect((await ofAny(made)).body).toEqual({
      ...reply.body,
      event: null,
      invite: { ...reply.body.invite, outsidePerson: false },
    });
  });

  test("of an invite to an event, and nothing else", async () => {
    const made = await invite({ ...terms(), role: "Responder" }, event);
    const reply = await ofAny(made);
    expectShape(reply.body, {
      organization: ORGANIZATION_SEEN,
      event: checkRecord({ name: checkText, slug: checkText }),
      invite: seenOfAny(["Reporter", "Responder", "Admin"]),
    });
    expect(reply.body).toMatchObject({
      organization: { slug: organization.slug },
      event: { name: event.name, slug: event.slug },
      invite: { role: "Responder", expiresAt: made.expiresAt, usable: true },
    });
    for (const trace of [made.id, made.code, "A note among us", organization.id, event.id])
      expect(reply.text).not.toContain(trace);
  });

  test("of an invite says when it can no longer be used", async () => {
    const usable = async (one: Invite) => (await ofAny(one)).body.invite.usable;
    const [disabled, expired, spent, last] = [
      await invite({}, event),
      await invite({ expiresAt: soon() }, event),
      await invite({ maxUses: 1 }, event),
      await invite({ maxUses: 2 }, event),
    ];
    for (const one of [disabled, expired, spent, last]) expect(await usable(one)).toBe(true);
    await disable(disabled, event);
    await expire(expired);
    for (const one of [spent, last])
      expect((await redeem(await world.person("Using"), one)).status).toBe(200);
    expect(await Promise.all([disabled, expired, spent, last].map(usable))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  test("of a code that isn't there is nothing; a code of an event is none of an organization", async () => {
    const toEvent = await invite({}, event);
    for (const code of ["unknown", "%00"])
      expectRefusal(await ofAny({ code: encodeURIComponent(code) }), "404 NOT_FOUND");
    const [hidden, absent] = [await ofOrganization(toEvent), await ofOrganization({ code: "unknown" })];
    expect(hidden.status).toBe(404);
    expect(hidden.body).toEqual(absent.body);
  });
});

describe("using an invite to an organization", () => {
  test.each(["org_admin", "org_viewer"])("makes a member of it: %s", async (role) => {
    const made = await invite({ role });
    const person = await world.person("Joining Person");
    const reply = await use(person, made);
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { message: checkText, organization: ORGANIZATION, role: checkExactly(role) });
    expect(reply.body.organization).toMatchObject(organization);
    expect(await roleIn(person, organization)).toBe(role);
    expect(await uses(made)).toEqual([1, 1]);
    const path = `/api/organizations/${organization.id}`;
    expect((await world.as(person).get(path)).status).toBe(200);
    expect((await world.as(person).get(`${path}/invites`)).status).toBe(role === "org_admin" ? 200 : 403);
  });

  test("goes by its code alone too, with the same result", async () => {
    const made = await invite({ role: "org_admin" });
    const person = await world.person("Joining Person");
    const reply = await redeem(person, made);
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, {
      message: checkText,
      organization: checkRecord({ name: checkText, slug: checkText }),
      event: checkExactly(null),
      role: checkExactly("org_admin"),
    });
    expect(await roleIn(person, organization)).toBe("org_admin");
  });

  test("makes nobody a member twice, counts no use then, and changes no role", async () => {
    const made = await invite({ role: "org_admin" });
    for (const attempt of [use, redeem])
      for (const person of [viktor, olga]) expectRefusal(await attempt(person, made), "409 ALREADY_MEMBER");
    expect(await uses(made)).toEqual([0, 0]);
    expect([await roleIn(viktor, organization), await roleIn(olga, organization)]).toEqual([
      "org_viewer",
      "org_admin",
    ]);
  });

  test("lets somebody back in who was removed, if it still allows it", async () => {
    const [open, single] = [await invite(), await invite({ maxUses: 1 })];
    const person = await world.person("Returning Person");
    const remove = () => world.as(olga).delete(`/api/organizations/${organization.id}/members/${person.id}`);
    for (const one of [open, open, single]) {
      expect((await use(person, one)).status).toBe(200);
      expect((await remove()).status).toBe(200);
    }
    expect((await stored(open))?.use_count).toBe(2);
    expectRefusal(await use(person, single), "410 INVITE_EXHAUSTED");
    expect(await roleIn(person, organization)).toBeUndefined();
  });

  test("doesn't work with a code of an event, which by itself does", async () => {
    const made = await invite({}, event);
    const person = await world.person("Confused Person");
    const absent = await use(person, { code: "unknown" });
    const reply = await use(person, made);
    expectRefusal(reply, "404 NOT_FOUND");
    expect(reply.body).toEqual(absent.body);
    expect(await rolesIn(person, event)).toEqual([]);
    expect((await redeem(person, made)).status).toBe(200);
  });
});

describe("using an invite to an event", () => {
  test.each(["Reporter", "Responder", "Admin"])("gives its role: %s", async (role) => {
    const made = await invite({ role }, event);
    const person = await world.person("Joining Person");
    const reply = await redeem(person, made);
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, {
      message: checkText,
      organization: checkRecord({ name: checkText, slug: checkText }),
      event: checkRecord({ name: checkText, slug: checkText }),
      role: checkExactly(role),
    });
    expect(reply.body.event).toEqual({ name: event.name, slug: event.slug });
    expect(await rolesIn(person, event)).toEqual([role]);
    expect(await roleIn(person, organization)).toBeUndefined();
    expect(await uses(made)).toEqual([1, 1]);
    const { body } = await world.as(person).get(`/api/events/slug/${event.slug}/my-roles`);
    expect(body).toEqual({ roles: [role] });
  });

  test("adds a stronger role to a weaker one, and refuses what is held already, or less", async () => {
    const [reporter, responder] = [await invite({}, event), await invite({ role: "Responder" }, event)];
    const person = await world.person("Rising Person", { events: [[event, "Reporter"]] });
    expectRefusal(await redeem(person, reporter), "409 ALREADY_MEMBER");
    expect((await redeem(person, responder)).status).toBe(200);
    for (const held of [reporter, responder]) expectRefusal(await redeem(person, held), "409 ALREADY_MEMBER");
    for (const held of [reporter, responder]) expectRefusal(await redeem(ada, held), "409 ALREADY_MEMBER");
    expect(await rolesIn(person, event)).toEqual(["Reporter", "Responder"]);
    expect(await rolesIn(ada, event)).toEqual(["Admin"]);
    expect([await uses(reporter), await uses(responder)]).toEqual([
      [0, 0],
      [1, 1],
    ]);
  });

  test("works at an event that is over, too: its holder joins and can report", async () => {
    const over = await world.newEvent(organization);
    const made = await invite({}, over);
    await heed.sql("update events set is_active = false where id = $1", [over.id]);
    const person = await world.person("Late Person");
    expect((await redeem(person, made)).status).toBe(200);
    expect(await rolesIn(person, over)).toEqual(["Reporter"]);
    const report = { title: "Shouting at the registration desk", description: "It went on for a while." };
    expect((await world.as(person).post(`/api/events/slug/${over.slug}/reports`, report)).status).toBe(201);
  });
});

describe.each([
  ["to an organization, used", organization, use],
  ["to an event, by its code", event, redeem],
] as const)("an invite %s", (_, to, attempt) => {
  const member = async (person: TestPerson) =>
    "organizationId" in to
      ? (await rolesIn(person, to)).length > 0
      : (await roleIn(person, to)) !== undefined;

  test("lets nobody in when it is disabled, and again when it is enabled", async () => {
    const made = await invite({}, to);
    await disable(made, to);
    const person = await world.person("Late Person");
    expectRefusal(await attempt(person, made), "410 INVITE_DISABLED");
    expect([await member(person), await uses(made)]).toEqual([false, [0, 0]]);
    await heed.sql("update invites set disabled = false where id = $1", [made.id]);
    expect((await attempt(person, made)).status).toBe(200);
    expect([await member(person), await uses(made)]).toEqual([true, [1, 1]]);
  });

  test("lets nobody in when it has expired", async () => {
    const made = await invite({ expiresAt: soon() }, to);
    expect((await attempt(await world.person("Early Person"), made)).status).toBe(200);
    await expire(made);
    const person = await world.person("Late Person");
    expectRefusal(await attempt(person, made), "410 INVITE_EXPIRED");
    expect([await member(person), await uses(made)]).toEqual([false, [1, 1]]);
  });

  test("lets nobody in when it is used up", async () => {
    const made = await invite({ maxUses: 2 }, to);
    const people = await runConcurrently(3, () => world.person("Queueing Person"));
    const replies = [];
    for (const person of people) replies.push(summarizeResponse(await attempt(person, made)));
    expect(replies).toEqual([[200], [200], [410, "INVITE_EXHAUSTED"]]);
    expect(await Promise.all(people.map(member))).toEqual([true, true, false]);
    expect(await uses(made)).toEqual([2, 2]);
  });
});

// How many an invite lets in, however many come at once, is in races.test.ts.
describe("many at once", () => {
  test("one person with ten invites uses up one of them", async () => {
    for (const to of [organization, event]) {
      const made = await runConcurrently(10, () => invite({ maxUses: 1 }, to));
      const person = await world.person("Collecting Person");
      const replies = await Promise.all(made.map((one) => redeem(person, one)));
      expect(countOutcomes(replies)).toEqual({ 200: 1, "409 ALREADY_MEMBER": 9 });
      const counts = await Promise.all(made.map(async (one) => (await stored(one))?.use_count));
      expect(counts.toSorted()).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    }
  });

  test("an invite to an event that is disabled meanwhile: each is before or after", async () => {
    const made = await invite({}, event);
    const people = await runConcurrently(20, () => world.person("Hurrying Person"));
    const [replies, disabled] = await Promise.all([
      Promise.all(people.map((person) => redeem(person, made))),
      disable(made, event),
    ]);
    expect(disabled.status).toBe(200);
    const joined = replies.filter(({ status }) => status === 200).length;
    const refused = joined < 20 ? { "410 INVITE_DISABLED": 20 - joined } : {};
    expect(countOutcomes(replies)).toEqual({ ...(joined > 0 && { 200: joined }), ...refused });
    expect(await uses(made)).toEqual([joined, joined]);
    // The response to the change may count a use before it, never one after it.
    expect(disabled.body.invite.useCount).toBe(joined);
    expectRefusal(await redeem(await world.person("Last Person"), made), "410 INVITE_DISABLED");
  });

  test("notes written meanwhile lose no use", async () => {
    const made = await invite({}, event);
    const people = await runConcurrently(15, () => world.person("Hurrying Person"));
    const path = `/api/events/${event.id}/invites/${made.id}`;
    const [replies, notes] = await Promise.all([
      Promise.all(people.map((person) => redeem(person, made))),
      runConcurrently(15, (index) => world.as(ada).patch(path, { note: `Note ${index}` })),
    ]);
    expect([countOutcomes(replies), countOutcomes(notes)]).toEqual([{ 200: 15 }, { 200: 15 }]);
    expect(await uses(made)).toEqual([15, 15]);
  });

  test("whoever loses the right meanwhile makes no more invites", async () => {
    const person = await world.person("Former Admin", { events: [[event, "Admin"]] });
    const path = `/api/events/${event.id}/invites`;
    const [replies] = await Promise.all([
      runConcurrently(20, () => world.as(person).post(path, { role: "Admin", note: person.id })),
      world.as(ada).delete(`/api/events/${event.id}/roles`, { userId: person.id, roleName: "Admin" }),
    ]);
    const made = replies.filter(({ status }) => status === 201).length;
    const refused = made < 20 ? { "403 FORBIDDEN": 20 - made } : {};
    expect(countOutcomes(replies)).toEqual({ ...(made > 0 && { 201: made }), ...refused });
    expect(await heed.rows("invites", "note = $1", [person.id])).toBe(made);
  });
});

describe("a token that only reads", () => {
  const useToken = async (person: TestPerson, scope: string, limits = {}) => {
    const wanted = { name: "Script", scope, currentPassword: PASSWORD, ...limits };
    const { token } = (await world.as(person).post("/api/users/me/tokens", wanted)).body;
    return { headers: { authorization: `Bearer ${token}` } };
  };

  test.each(KINDS)("sees the invites $kind without codes and links", async ({ path, keeper, role }) => {
    const { invite: made } = (await world.as(keeper).post(path, { role })).body;
    const read = await heed.visitor().get(path, await useToken(keeper, "read"));
    expect(read.body.invites[0]).toEqual({ ...made, code: null, url: null });
    expect(read.text).not.toContain(made.code);
    const write = await heed.visitor().get(path, await useToken(keeper, "write"));
    expect(write.body.invites[0]).toEqual(made);
    expect((await world.as(keeper).get(path)).body.invites[0]).toEqual(made);
  });

  test("limited to an event, sees no code of its invites, nor their QR images", async () => {
    const path = `/api/events/${event.id}/invites`;
    const { invite: made } = (await world.as(ada).post(path, { role: "Admin" })).body;
    const limited = await useToken(ada, "read", { eventId: event.id });
    const list = await heed.visitor().get(path, limited);
    expect([list.status, list.text.includes(made.code)]).toEqual([200, false]);
    const qr = `${path}/${made.id}/qr`;
    expectRefusal(await heed.visitor().get(qr, limited), "403 TOKEN_SCOPE");
    expect((await heed.visitor().get(qr, await useToken(ada, "write"))).status).toBe(200);
  });

  test("isn't shown an organization's first invite", async () => {
    const slug = generateUniqueWord();
    const { organization: made } = (await world.as(sam).post("/api/organizations", { name: slug, slug }))
      .body;
    const path = `/api/admin/organizations/${made.id}/initial-invite`;
    const reply = await heed.visitor().get(path, await useToken(sam, "read"));
    expectRefusal(reply, "403 TOKEN_SCOPE");
    expect((await world.as(sam).get(path)).body.invite.code).toEqual(expect.any(String));
  });
});
