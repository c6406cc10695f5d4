import { describe, expect, test } from "vitest";
import { generateCode, insertSecondFactor, generateWrongCode } from "#e2e/support/second-factor.ts";
import { waitForMails } from "#e2e/support/outbox.ts";
import { shareService } from "#e2e/support/service.ts";
import { expectShape, checkList, checkText, USER } from "#e2e/support/shapes.ts";
import {
  UNKNOWN_ID,
  countOutcomes,
  summarizeResponse,
  runConcurrently,
  expectRefusal,
} from "#e2e/support/concurrent-requests.ts";
import { PASSWORD, TestWorld, type EventRef, type TestPerson, type PlaceRef } from "#e2e/support/world.ts";

/** The second factor: setting it up, signing in with it, and organizations that require it. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { nobody } = world;

const ME = "/api/users/me";
const FACTOR = `${ME}/second-factor`;
const login = (person: TestPerson, code?: string, password = PASSWORD, userAgent = "test") =>
  heed
    .visitor()
    .post(
      "/api/auth/login",
      { email: person.email, password, code },
      { headers: { "user-agent": userAgent } },
    );
const PROOF = { currentPassword: PASSWORD };
const begin = async (person: TestPerson): Promise<string> =>
  (await world.as(person).post(FACTOR, PROOF)).body.secret;
const confirm = (person: TestPerson, code: string) => world.as(person).post(`${FACTOR}/confirm`, { code });
const status = async (person: TestPerson) => (await world.as(person).get(ME)).body.account.secondFactor;

/** Turns it on as a person would. */
async function turnOn(person: TestPerson): Promise<{ secret: string; codes: string[] }> {
  const secret = await begin(person);
  const reply = await confirm(person, generateCode(secret));
  expect(reply.status, reply.text).toBe(200);
  return { secret, codes: reply.body.recoveryCodes };
}

describe("setting it up", () => {
  test("asks for the password: an open session alone shuts nobody out", async () => {
    const person = await world.person("Open Laptop");
    const waiting = await begin(person);
    const wrong = await world.as(person).post(FACTOR, { currentPassword: "not the one at all" });
    expectRefusal(wrong, "400 VALIDATION_ERROR");
    expect(wrong.body.details).toBe("currentPassword: is wrong");
    expectRefusal(await world.as(person).post(FACTOR, {}), "400 VALIDATION_ERROR");
    // Nothing took the place of what waits.
    expect((await confirm(person, generateCode(waiting))).status).toBe(200);
  });

  test("accepts the password under its former name, if it isn't given under its own", async () => {
    const person = await world.person("Early Client");
    expect((await world.as(person).post(FACTOR, { password: PASSWORD })).status).toBe(200);
    const both = await world.as(person).post(FACTOR, { currentPassword: "wrong", password: PASSWORD });
    expect(both.body.details).toBe("currentPassword: is wrong");
  });

  test("gives a secret in three shapes, and is on with the first code", async () => {
    const person = await world.person("New Phone");
    const begun = await world.as(person).post(FACTOR, PROOF);
    expect(begun.status, begun.text).toBe(200);
    expectShape(begun.body, { secret: checkText, uri: checkText, qr: checkText });
    expect(begun.body.uri).toContain(`secret=${begun.body.secret}`);
    expect(begun.body.qr).toMatch(/^data:image\/svg\+xml;base64,/);
    expect(await status(person)).toMatchObject({ enabled: false });
    expect((await login(person)).status).toBe(200);
    const reply = await confirm(person, generateCode(begun.body.secret));
    expectShape(reply.body, { message: checkText, recoveryCodes: checkList(checkText) });
    expect(new Set(reply.body.recoveryCodes).size).toBe(10);
    expect(await status(person)).toMatchObject({ enabled: true, recoveryCodesLeft: 10 });
    expect((await waitForMails(heed, person.email)).map(({ subject }) => subject)).toContain(
      "Two-factor sign-in is on",
    );
  });

  test("stores neither the secret nor the recovery codes", async () => {
    const person = await world.person("Stored Person");
    const { secret, codes } = await turnOn(person);
    const rows = await heed.sql(
      `select encode(secret, 'escape') as stored from second_factors where user_id = $1
       union all select encode(code_hash, 'escape') from recovery_codes where user_id = $1
       union all select data::text from audit_entries where actor_id = $1`,
      [person.id],
    );
    expect(rows.length).toBeGreaterThan(11);
    for (const stored of [secret, ...codes, ...codes.map((code) => code.replaceAll("-", ""))])
      expect(JSON.stringify(rows)).not.toContain(stored);
  });

  test("isn't on with a wrong code, nor with one of another account", async () => {
    const person = await world.person("Wrong Code");
    const secret = await begin(person);
    for (const code of [
      generateWrongCode(secret),
      generateCode(await begin(await world.person("Other Phone"))),
      "12345",
      "x",
    ])
      expectRefusal(await confirm(person, code), "400 VALIDATION_ERROR");
    expect(await status(person)).toMatchObject({ enabled: false });
  });

  test("can restart while it is pending, and not once it is on", async () => {
    const person = await world.person("Starting Over");
    const first = await begin(person);
    const second = await begin(person);
    expectRefusal(await confirm(person, generateCode(first)), "400 VALIDATION_ERROR");
    expect((await confirm(person, generateCode(second))).status).toBe(200);
    expectRefusal(await world.as(person).post(FACTOR, PROOF), "409 CONFLICT");
    expectRefusal(await confirm(person, generateCode(second, 1)), "409 CONFLICT");
    expect(await status(person)).toMatchObject({ enabled: true, recoveryCodesLeft: 10 });
  });

  test("is confirmed once by ten at the same time", async () => {
    const person = await world.person("Ten Windows");
    const secret = await begin(person);
    const replies = await runConcurrently(10, () => confirm(person, generateCode(secret)));
    expect(countOutcomes(replies)).toEqual({ "200": 1, "409 CONFLICT": 9 });
    expect(await heed.rows("recovery_codes", "user_id = $1", [person.id])).toBe(10);
  });
});

describe("signing in with it", () => {
  test("asks for the code after the password, and doesn't reveal the second factor to anybody else", async () => {
    const person = await world.person("Two Steps");
    const secret = await insertSecondFactor(world, person);
    expectRefusal(await login(person), "401 SECOND_FACTOR_NEEDED");
    expectRefusal(await login(person, ""), "401 SECOND_FACTOR_NEEDED");
    expectRefusal(await login(person, generateCode(secret), "wrong"), "401 INVALID_CREDENTIALS");
    expectRefusal(await login(person, undefined, "wrong"), "401 INVALID_CREDENTIALS");
    expectRefusal(await login(person, generateWrongCode(secret)), "401 SECOND_FACTOR_INVALID");
    const code = generateCode(secret);
    const reply = await login(person, `${code.slice(0, 3)} ${code.slice(3)}`);
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { message: checkText, user: USER });
  });

  test("asks accounts without one for no code, and ignores a sent one", async () => {
    expect((await login(await world.person("One Step"), "123456")).status).toBe(200);
    expect((await login(await world.person("One Step More"))).status).toBe(200);
  });

  test("takes each code once, and none that came before", async () => {
    const person = await world.person("Watched Person");
    const secret = await insertSecondFactor(world, person);
    const now = generateCode(secret);
    const before = generateCode(secret, -1);
    expect((await login(person, now)).status).toBe(200);
    for (const code of [now, before]) expectRefusal(await login(person, code), "401 SECOND_FACTOR_INVALID");
    expect((await login(person, generateCode(secret, 1))).status).toBe(200);
  });

  test("lets one in of ten with the same code at the same time", async () => {
    const person = await world.person("Replayed Person");
    const secret = await insertSecondFactor(world, person);
    const code = generateCode(secret);
    const replies = await runConcurrently(10, () => login(person, code));
    expect(countOutcomes(replies)).toEqual({ "200": 1, "401 SECOND_FACTOR_INVALID": 9 });
    // One of the world's own, and the one that got in.
    expect(await heed.rows("sessions", "user_id = $1", [person.id])).toBe(2);
  });

  test("slows down guesses, and requesting the code is not a guess", async () => {
    const person = await world.person("Guessed Code");
    const secret = await insertSecondFactor(world, person);
    await heed.sql("delete from sign_in_delays");
    const failures = async () => (await heed.sql("select failures from sign_in_delays"))[0]?.failures;
    for (const _ of [1, 2, 3]) await login(person);
    expect(await failures()).toBe(0);
    for (const _ of [1, 2, 3]) await login(person, generateWrongCode(secret));
    expect(await failures()).toBe(3);
    await login(person);
    expect(await failures()).toBe(3);
    const began = Date.now();
    await login(person, generateWrongCode(secret));
    expect(Date.now() - began).toBeGreaterThan(450);
    expect((await login(person, generateCode(secret))).status).toBe(200);
    expect(await heed.rows("sign_in_delays", "failures >= 3")).toBe(0);
  });

  test("is still asked for after the password was reset", async () => {
    const person = await world.person("Reset Person");
    const secret = await insertSecondFactor(world, person);
    await heed.sql(
      "insert into password_resets (user_id, token_hash, expires_at) values ($1, sha256('reset-me'), now() + interval '1 hour')",
      [person.id],
    );
    const newPassword = "seven small lanterns";
    expect((await nobody.post("/api/auth/reset-password", { token: "reset-me", newPassword })).status).toBe(
      200,
    );
    expectRefusal(await login(person, undefined, newPassword), "401 SECOND_FACTOR_NEEDED");
    expect((await login(person, generateCode(secret), newPassword)).status).toBe(200);
  });
});

describe("recovery codes", () => {
  test("replace a code of the app, each once, however they are typed", async () => {
    const person = await world.person("Lost Phone");
    const { codes } = await turnOn(person);
    const [first = "", second = ""] = codes;
    expect((await login(person, first)).status).toBe(200);
    expectRefusal(await login(person, first), "401 SECOND_FACTOR_INVALID");
    expect((await login(person, second.toUpperCase().replaceAll("-", " "))).status).toBe(200);
    expect(await status(person)).toMatchObject({ recoveryCodesLeft: 8 });
    const subjects = (await waitForMails(heed, person.email, 3)).map(({ subject }) => subject);
    expect(subjects).toContain("A recovery code was used");
  });

  test("let one in of ten with the same one at the same time", async () => {
    const person = await world.person("Shared Paper");
    const [code] = (await turnOn(person)).codes;
    const replies = await runConcurrently(10, () => login(person, code));
    expect(countOutcomes(replies)).toEqual({ "200": 1, "401 SECOND_FACTOR_INVALID": 9 });
  });

  test("of another account open nothing", async () => {
    const person = await world.person("Own Codes");
    await turnOn(person);
    const [foreign] = (await turnOn(await world.person("Foreign Codes"))).codes;
    expectRefusal(await login(person, foreign), "401 SECOND_FACTOR_INVALID");
  });

  test("are replaced with the password; the old ones stop working", async () => {
    const person = await world.person("New Paper");
    const { codes: old } = await turnOn(person);
    const renew = (password: string) => world.as(person).post(`${FACTOR}/recovery-codes`, { password });
    expectRefusal(await renew("wrong"), "400 VALIDATION_ERROR");
    const reply = await renew(PASSWORD);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body.recoveryCodes).toHaveLength(10);
    expect(reply.body.recoveryCodes.filter((code: string) => old.includes(code))).toEqual([]);
    expect((await login(person, old[0])).status).toBe(401);
    expect((await login(person, reply.body.recoveryCodes[0])).status).toBe(200);
    const without = await world
      .as(world.nora)
      .post(`${FACTOR}/recovery-codes`, { currentPassword: PASSWORD });
    expectRefusal(without, "404 NOT_FOUND");
  });
});

describe("turning it off", () => {
  const off = (person: TestPerson, proof: object) => world.as(person).delete(FACTOR, proof);

  test("takes password and code", async () => {
    const person = await world.person("Turning Off");
    const secret = await insertSecondFactor(world, person);
    for (const proof of [
      {},
      { currentPassword: PASSWORD },
      { currentPassword: PASSWORD, code: generateWrongCode(secret) },
      { currentPassword: "wrong", code: generateCode(secret) },
    ])
      expectRefusal(await off(person, proof), "400 VALIDATION_ERROR");
    expect(await status(person)).toMatchObject({ enabled: true });
    expect((await off(person, { currentPassword: PASSWORD, code: generateCode(secret) })).status).toBe(200);
    expect(await status(person)).toMatchObject({ enabled: false, recoveryCodesLeft: 0 });
    expect((await login(person)).status).toBe(200);
    expect((await waitForMails(heed, person.email)).map(({ subject }) => subject)).toContain(
      "Two-factor sign-in is off",
    );
    expectRefusal(await off(person, { currentPassword: PASSWORD, code: "123456" }), "404 NOT_FOUND");
  });
});

describe("a reset by a SystemAdmin", () => {
  const reset = (actor: TestPerson, { id }: { id: string }, proof: object = PROOF) =>
    world.as(actor).delete(`/api/admin/users/${id}/second-factor`, proof);

  test("turns it off, revokes the sessions, notifies the owner, and is in the audit log", async () => {
    const person = await world.person("Lost Phone");
    const { codes } = await turnOn(person);
    const reply = await reset(world.sam, person);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body).toMatchObject({
      message: "Two-factor sign-in was reset.",
      user: { secondFactor: false },
    });
    expect((await world.as(person).get(ME)).status).toBe(401);
    for (const table of ["second_factors", "recovery_codes"])
      expect(await heed.rows(table, "user_id = $1", [person.id])).toBe(0);
    expect((await login(person)).status).toBe(200);
    expect((await login(person, codes[0])).status).toBe(200);
    const subjects = async () => (await waitForMails(heed, person.email, 2)).map(({ subject }) => subject);
    expect(await subjects()).toContain("Your two-factor sign-in was reset");
    const stored = "action = 'user.resetSecondFactor' and object_id = $1 and actor_id = $2";
    expect(await heed.rows("audit_entries", stored, [person.id, world.sam.id])).toBe(1);
    expectRefusal(await reset(world.sam, person), "404 NOT_FOUND");
    expectRefusal(await reset(world.sam, { id: UNKNOWN_ID }), "404 NOT_FOUND");
  });

  test("takes the administrator's password, and a code where they have one", async () => {
    const system = await world.person("Careful System", { systemAdmin: true });
    const secret = await insertSecondFactor(world, system);
    const person = await world.person("Kept Phone");
    await insertSecondFactor(world, person);
    const code = generateCode(secret);
    for (const proof of [
      {},
      { currentPassword: "not the one at all", code },
      { currentPassword: PASSWORD },
      { currentPassword: PASSWORD, code: generateWrongCode(secret) },
    ])
      expectRefusal(await reset(system, person, proof), "400 VALIDATION_ERROR");
    expect(await heed.rows("second_factors", "user_id = $1", [person.id])).toBe(1);
    expect(
      (await reset(system, person, { currentPassword: PASSWORD, code: generateCode(secret, 1) })).status,
    ).toBe(200);
  });

  test("is refused for one's own", async () => {
    const system = await world.person("Own Phone", { systemAdmin: true });
    await insertSecondFactor(world, system);
    expectRefusal(await reset(system, system), "403 FORBIDDEN");
    expect(await heed.rows("second_factors", "user_id = $1", [system.id])).toBe(1);
  });
});

describe("an organization that requires it", () => {
  type Guild = { place: PlaceRef; event: EventRef; admin: TestPerson };

  /** An organization with an admin who has a second factor and requires it. */
  async function guild(): Promise<Guild> {
    const place = await world.newOrganization("Careful Guild");
    const event = await world.newEvent(place, "Careful Congress");
    const admin = await world.person("Guild Admin", {
      organization: [place, "org_admin"],
      events: [[event, "Admin"]],
    });
    await insertSecondFactor(world, admin);
    const reply = await world.as(admin).put(`/api/organizations/${place.id}`, { requireSecondFactor: true });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body.organization.requireSecondFactor).toBe(true);
    return { place, event, admin };
  }

  const NEEDED = [403, "SECOND_FACTOR_REQUIRED"];

  test("is made so by an admin who has one, and by nobody else", async () => {
    const place = await world.newOrganization("Eager Guild");
    const admin = await world.person("Eager Admin", { organization: [place, "org_admin"] });
    const ask = (person: TestPerson, requireSecondFactor: unknown) =>
      world.as(person).put(`/api/organizations/${place.id}`, { requireSecondFactor });
    expect(summarizeResponse(await ask(admin, true))).toEqual(NEEDED);
    expect(summarizeResponse(await ask(world.sam, true))).toEqual(NEEDED);
    for (const no of ["true", 1, null]) expectRefusal(await ask(admin, no), "400 VALIDATION_ERROR");
    expect(await heed.rows("organizations", "id = $1 and require_second_factor", [place.id])).toBe(0);
    await insertSecondFactor(world, admin);
    expect((await ask(admin, true)).status).toBe(200);
    expect((await ask(admin, false)).body.organization.requireSecondFactor).toBe(false);
  });

  test("shuts members without one out of everything in it, until they have one", async () => {
    const { place, event } = await guild();
    const member = await world.person("Late Member", { organization: [place, "org_admin"] });
    const paths = [
      `/api/organizations/${place.id}`,
      `/api/organizations/${place.id}/reports/export?format=csv`,
      `/api/events/${event.id}`,
    ];
    for (const path of paths)
      expect(summarizeResponse(await world.as(member).get(path)), path).toEqual(NEEDED);
    const change = { requireSecondFactor: false };
    expect(summarizeResponse(await world.as(member).put(`/api/organizations/${place.id}`, change))).toEqual(
      NEEDED,
    );
    await turnOn(member);
    for (const path of paths.slice(0, -1)) expect((await world.as(member).get(path)).status, path).toBe(200);
  });

  test("shuts the team of its events out, lists included", async () => {
    const { event } = await guild();
    const reporter = await world.person("Guild Reporter", { events: [[event, "Reporter"]] });
    const filed = await world.report(reporter, event, { title: "A TITLE-MARKER of theirs" });
    const person = await world.person("Late Admin", { events: [[event, "Admin"]] });
    const pin = [person.id, filed.id, event.id];
    await heed.sql("insert into pins (user_id, incident_id, event_id) values ($1, $2, $3)", pin);
    const of = (path: string) => world.as(person).get(path);
    for (const path of [
      `/events/slug/${event.slug}/incidents`,
      `/api/events/${event.id}/incidents/${filed.id}`,
      `/api/events/${event.id}/incidents/${UNKNOWN_ID}`,
      `/api/events/slug/${event.slug}/my-roles`,
      `/api/users/me/pins?eventId=${event.id}`,
    ])
      expect(summarizeResponse(await of(path)), path).toEqual(NEEDED);
    const pinned = await world.as(person).post(`${ME}/pins`, { incidentId: filed.id, eventId: event.id });
    expect(summarizeResponse(pinned)).toEqual(NEEDED);
    expect((await of(`${ME}/incidents`)).body).toMatchObject({ incidents: [], pagination: { total: 0 } });
    expect((await of(`${ME}/pins`)).body).toEqual({ incidentIds: [] });
    expect((await of(`${ME}/export`)).text).not.toContain("TITLE-MARKER");
    expect((await of(`${ME}/events`)).body.events).toMatchObject([{ id: event.id, needsSecondFactor: true }]);
    await turnOn(person);
    expect((await of(`/api/events/${event.id}/incidents/${filed.id}`)).text).toContain("TITLE-MARKER");
    expect((await of(`${ME}/incidents`)).body.incidents).toHaveLength(1);
    expect((await of(`${ME}/pins`)).body).toEqual({ incidentIds: [filed.id] });
  });

  test("leaves reporters their own reports, and shows them no others through a role that waits", async () => {
    const { event } = await guild();
    const person = await world.person("Reporter And More", { events: [[event, "Reporter", "Responder"]] });
    const other = await world.person("Other Reporter", { events: [[event, "Reporter"]] });
    const own = await world.report(person, event);
    const foreign = await world.report(other, event);
    const at = (id: string) => world.as(person).get(`/api/events/${event.id}/incidents/${id}`);
    expect((await at(own.id)).status).toBe(200);
    expect(summarizeResponse(await at(foreign.id))).toEqual(NEEDED);
    expect(summarizeResponse(await at(UNKNOWN_ID))).toEqual(NEEDED);
    const listed = (await world.as(person).get(`/api/events/${event.id}/incidents`)).body;
    expect(listed.incidents.map(({ id }: { id: string }) => id)).toEqual([own.id]);
    expect(listed.pagination.total).toBe(1);
    const across = (await world.as(person).get(`${ME}/incidents`)).body;
    expect(across.incidents.map(({ id }: { id: string }) => id)).toEqual([own.id]);
    const moved = await world
      .as(person)
      .patch(`/api/events/${event.id}/incidents/${own.id}/state`, { state: "closed", notes: "Done." });
    expect(summarizeResponse(moved)).toEqual(NEEDED);
  });

  test("leaves the session check, the account and other organizations as they are", async () => {
    const { place, event } = await guild();
    const person = await world.person("Both Guilds", {
      organization: [place, "org_viewer"],
      events: [
        [event, "Responder"],
        [world.event, "Responder"],
      ],
    });
    const filed = await world.report(world.maya, world.event);
    const session = (await world.as(person).get("/api/session")).body;
    expect(session.user.roles.organizations).toEqual([
      { organizationId: place.id, slug: place.slug, role: "org_viewer" },
    ]);
    expect(session.user.roles.events).toHaveLength(2);
    expect(await status(person)).toMatchObject({
      enabled: false,
      requiredBy: [{ id: place.id, name: place.name, slug: place.slug }],
    });
    for (const path of [`${ME}/events`, `${ME}/sessions`, `${ME}/tokens`, `${ME}/pins`])
      expect((await world.as(person).get(path)).status, path).toBe(200);
    expect((await world.as(person).get(`/api/events/slug/${event.slug}`)).status).toBe(200);
    expect((await world.as(person).get(`/api/events/${world.event.id}/incidents/${filed.id}`)).status).toBe(
      200,
    );
  });

  test("shuts SystemAdmins out, lists, logs and tokens included, until they have one", async () => {
    const { place, event, admin } = await guild();
    const filed = await world.report(admin, event, { title: "A TITLE-MARKER of theirs" });
    const system = await world.person("Late System", { systemAdmin: true, events: [[event, "Reporter"]] });
    const own = await world.report(system, event);
    const hidden = await world.report(admin, event);
    await heed.sql(
      "insert into incident_readers (incident_id, user_id, access, source) values ($1, $2, 'none', 'reporter')",
      [hidden.id, system.id],
    );
    const of = (path: string) => world.as(system).get(path);
    const slug = `/api/events/slug/${event.slug}`;
    const reason = "Nobody else can reach the reporter.";
    const closed: [string, string, object?][] = [
      ["GET", `/api/organizations/${place.id}`],
      ["GET", `/api/admin/audit?chain=${place.id}`],
      ["GET", `/api/admin/audit?chain=${place.id}&format=csv`],
      ["GET", `/api/admin/audit/verify?chain=${place.id}`],
      ["PUT", `/api/organizations/${place.id}`, { requireSecondFactor: false }],
      ["POST", `/api/organizations/${place.id}/members`, { userId: system.id, role: "org_admin" }],
      ["DELETE", `/api/organizations/${place.id}`],
      ["GET", `/api/events/${event.id}/incidents/${filed.id}`],
      ["GET", `${slug}/incidents/${filed.id}/history`],
      ["GET", `${slug}/audit`],
      ["POST", `${ME}/pins`, { incidentId: filed.id, eventId: event.id }],
    ];
    // The answer is the same whether or not it is hidden from them.
    for (const { id } of [filed, hidden]) {
      const opened = await world.as(system).post(`${slug}/incidents/${id}/readers/me/emergency`, { reason });
      expect(summarizeResponse(opened)).toEqual(NEEDED);
    }
    const token = `heed_${"s".repeat(33)}${event.id.slice(-10)}`;
    await heed.sql(
      `insert into api_tokens (user_id, name, token_hash, scope, event_id, expires_at)
       values ($1, 'older', sha256($2::bytea), 'write', $3, now() + interval '1 day')`,
      [world.sam.id, token, event.id],
    );
    const byToken = { headers: { authorization: `Bearer ${token}` } };
    for (const [method, path, body] of closed) {
      const reply = await world.as(system).send(method, path, body);
      expect(summarizeResponse(reply), `${method} ${path}`).toEqual(NEEDED);
      if (path.includes("/incidents/"))
        expect(summarizeResponse(await nobody.send(method, path, body, byToken)), `token ${path}`).toEqual(
          NEEDED,
        );
    }
    const made = { name: "For it", scope: "read", eventId: event.id, currentPassword: PASSWORD };
    expect(summarizeResponse(await world.as(world.sam).post(`${ME}/tokens`, made))).toEqual(NEEDED);
    for (const path of ["incidents", `incidents?event=${event.slug}`, "jump?search=TITLE-MARKER"]) {
      const reply = await of(`${ME}/${path}`);
      expect(reply.text, path).not.toContain("TITLE-MARKER");
    }
    const across = (await of(`${ME}/incidents?event=${event.id}`)).body.incidents;
    expect(across.map(({ id }: { id: string }) => id)).toEqual([own.id]);
    expect((await of(`${ME}/jump?search=Guild%20Admin`)).text).not.toContain(admin.id);
    expect((await of(`${ME}/export`)).text).not.toContain("TITLE-MARKER");
    // What belongs to no organization stays open, and so do all others.
    for (const path of [
      "/api/admin/users",
      "/api/admin/events",
      "/api/admin/audit",
      `/api/events/${world.event.id}`,
    ])
      expect((await of(path)).status, path).toBe(200);
    await turnOn(system);
    for (const [method, path] of closed.filter(([method]) => method === "GET"))
      expect((await world.as(system).send(method, path)).status, path).toBe(200);
    expect((await of(`${ME}/incidents?event=${event.id}`)).text).toContain("TITLE-MARKER");
  });

  test("shuts out again whoever turns it off", async () => {
    const { place } = await guild();
    const person = await world.person("Careless Member", { organization: [place, "org_viewer"] });
    const secret = await insertSecondFactor(world, person);
    expect((await world.as(person).get(`/api/organizations/${place.id}`)).status).toBe(200);
    await world.as(person).delete(FACTOR, { currentPassword: PASSWORD, code: generateCode(secret) });
    expect(summarizeResponse(await world.as(person).get(`/api/organizations/${place.id}`))).toEqual(NEEDED);
  });
});

describe("a sign-in on a device that wasn't used before", () => {
  const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0";
  const CHROME = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/141.0.0.0 Mobile Safari/537.36";
  const from = (person: TestPerson, userAgent: string) => login(person, undefined, PASSWORD, userAgent);

  test("sends a mail that doesn't describe it; the first device and known ones send none", async () => {
    const person = await world.person("Travelling Person");
    expect((await from(person, FIREFOX)).status).toBe(200);
    expect((await from(person, FIREFOX.replaceAll("144", "145"))).status).toBe(200);
    expect(await heed.rows("known_devices", "user_id = $1", [person.id])).toBe(1);
    expect((await from(person, CHROME)).status).toBe(200);
    const [mail, ...others] = await waitForMails(heed, person.email);
    expect(mail?.subject).toBe("A new device signed in");
    expect(others).toEqual([]);
    expect(mail?.text).not.toMatch(/Chrome|Android|Firefox|127\.0\.0\.1/);
    await from(person, CHROME);
    const change = { currentPassword: PASSWORD, newPassword: "seven small lanterns" };
    await world.as(person).patch(`${ME}/password`, change);
    const subjects = (await waitForMails(heed, person.email, 2)).map((one) => one.subject);
    expect(subjects.toSorted()).toEqual(["A new device signed in", "Your password was changed"]);
    const stored = await heed.sql(
      "select encode(device_hash, 'escape') as hash from known_devices where user_id = $1",
      [person.id],
    );
    expect(stored).toHaveLength(2);
    expect(JSON.stringify(stored)).not.toMatch(/Firefox|Chrome/);
  });

  test("sends no mail when the sign-in failed", async () => {
    const person = await world.person("Staying Person");
    await from(person, FIREFOX);
    await login(person, undefined, "wrong", CHROME);
    expect(await heed.rows("known_devices", "user_id = $1", [person.id])).toBe(1);
  });
});
