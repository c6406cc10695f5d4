import { describe, expect, test } from "vitest";
import { keepOnePerOperation } from "#e2e/api/declared-routes.ts";
import { Caller, addRowTitles, ROWS } from "#e2e/api/routes.ts";
import { buildForm } from "#e2e/support/evidence.ts";
import { insertSecondFactor } from "#e2e/support/second-factor.ts";
import { waitForMails } from "#e2e/support/outbox.ts";
import { shareService } from "#e2e/support/service.ts";
import {
  checkExactly,
  expectShape,
  checkList,
  checkNullable,
  PAGINATION,
  checkRecord,
  checkText,
  checkTime,
  checkUuid,
} from "#e2e/support/shapes.ts";
import {
  UNKNOWN_ID,
  countOutcomes,
  runConcurrently,
  summarizeResponse,
  expectRefusal,
} from "#e2e/support/concurrent-requests.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { PASSWORD, TestWorld, type EventRef, type TestPerson } from "#e2e/support/world.ts";

/** Personal API tokens: made, used, limited, ended. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);
const { event, otherEvent, organization, ada, maya, nora, olga, sam, nobody } = world;

const TOKENS = "/api/users/me/tokens";
const make = (person: TestPerson, wanted: object = {}) =>
  world.as(person).post(TOKENS, { name: "Script", scope: "write", currentPassword: PASSWORD, ...wanted });
const tokenOf = async (person: TestPerson, wanted: object = {}): Promise<string> =>
  (await make(person, wanted)).body.token;
const bearer = (token: string, headers = {}) => ({
  headers: { authorization: `Bearer ${token}`, ...headers },
});

const INVALID_TOKEN =
  'Bearer realm="Heed", error="invalid_token", error_description="The token is not valid"';

const PLACE_SHAPE = checkRecord({ id: checkUuid, name: checkText, slug: checkText });
const TOKEN = checkRecord({
  id: checkUuid,
  name: checkText,
  scope: checkExactly("read", "write", "export"),
  event: checkNullable(PLACE_SHAPE),
  organization: checkNullable(PLACE_SHAPE),
  expiresAt: checkTime,
  lastUsedAt: checkNullable(checkTime),
  createdAt: checkTime,
});
const DAY = 24 * 3600_000;

describe("creating a token", () => {
  test("shows it once, and stores its hash", async () => {
    const reply = await make(maya, { name: "  Nightly  ", scope: "read" });
    expect(reply.status, reply.text).toBe(201);
    expectShape(reply.body, { message: checkText, token: checkText, apiToken: TOKEN });
    const { token, apiToken } = reply.body;
    expect(token).toMatch(/^heed_[A-Za-z0-9_-]{43}$/);
    expect(apiToken).toMatchObject({ name: "Nightly", scope: "read", event: null, lastUsedAt: null });
    const days = (Date.parse(apiToken.expiresAt) - Date.parse(apiToken.createdAt)) / DAY;
    expect(Math.round(days)).toBe(90);
    const [row] = await heed.sql(
      "select t.*, t.token_hash = sha256($2::bytea) as fits from api_tokens t where id = $1",
      [apiToken.id, token],
    );
    expect(row?.fits).toBe(true);
    const listed = await world.as(maya).get(TOKENS);
    expectShape(listed.body, { tokens: checkList(TOKEN), pagination: PAGINATION });
    expect(listed.body.tokens.map(({ id }: { id: string }) => id)).toEqual([apiToken.id]);
    expect(listed.text).not.toContain(token);
    expect((await world.as(nora).get(TOKENS)).body.tokens).toEqual([]);
    const entries = await heed.sql("select data::text as data from audit_entries where object_id = $1", [
      apiToken.id,
    ]);
    expect(entries).toHaveLength(1);
    expect(entries[0]?.data).not.toMatch(/heed_|Nightly/);
  });

  test.each([
    { name: "n".repeat(101) },
    { scope: "admin" },
    { expiresInDays: 366 },
    { organizationId: organization.id, eventId: event.id },
  ])("refuses %o", async (wanted) => {
    const before = await heed.rows("api_tokens");
    expectRefusal(await make(maya, wanted), "400 VALIDATION_ERROR");
    expect(await heed.rows("api_tokens")).toBe(before);
  });

  test("for an event takes a role in it", async () => {
    for (const eventId of [UNKNOWN_ID, otherEvent.id]) {
      expectRefusal(await make(maya, { eventId }), "404 NOT_FOUND");
    }
    const { body } = await make(maya, { eventId: event.id.toUpperCase(), expiresInDays: 365 });
    expect(body.apiToken.event).toEqual({ id: event.id, name: event.name, slug: event.slug });
  });

  test("requires the current password, and counts wrong ones for the session", async () => {
    const person = await world.person("Careful Owner");
    const failures = async () => (await heed.sql("select failures from sign_in_delays"))[0]?.failures;
    await heed.sql("delete from sign_in_delays");
    const missing = await make(person, { currentPassword: undefined });
    expect([missing.status, missing.body.details]).toEqual([400, "currentPassword: is missing"]);
    expect(await failures()).toBeUndefined();
    for (const count of [1, 2]) {
      const wrong = await make(person, { currentPassword: "a loud river at noon" });
      expect([wrong.status, wrong.body.details]).toEqual([400, "currentPassword: is wrong"]);
      expect(await failures()).toBe(count);
    }
    expect(await heed.rows("api_tokens", "user_id = $1", [person.id])).toBe(0);
  });

  test("notifies its owner by mail, with neither the token nor its name", async () => {
    const person = await world.person("Mailed Owner");
    const { token } = (await make(person, { name: "Secret Plan" })).body;
    const [mail] = await waitForMails(heed, person.email);
    expect(mail?.subject).toBe("An API token was created");
    expect(JSON.stringify(mail)).not.toContain(token);
    expect(JSON.stringify(mail)).not.toContain("Secret Plan");
  });

  test("ends at a hundred, however many are asked for at the same time", async () => {
    const person = await world.person("Collector");
    await heed.sql(
      `insert into api_tokens (user_id, name, token_hash, scope, expires_at)
       select $1, 'n', sha256(n::text::bytea), 'read', now() + interval '1 day' from generate_series(1, 98) n`,
      [person.id],
    );
    const replies = await runConcurrently(6, () => make(person));
    expect(countOutcomes(replies)).toEqual({ "201": 2, "409 CONFLICT": 4 });
  });
});

describe("using a token", () => {
  test("works wherever the session does, for reading and writing", async () => {
    const token = await tokenOf(maya);
    expect((await nobody.get("/api/session", bearer(token))).body.user.id).toBe(maya.id);
    const body = { title: "Filed by a program", description: "What happened." };
    const filed = await nobody.post(`/api/events/${event.id}/incidents`, body, bearer(token));
    expect(filed.status, filed.text).toBe(201);
    expect(filed.body.incident.reporterId).toBe(maya.id);
    const upload = buildForm(
      { title: "Filed with a file", description: "It." },
      { name: "a.txt", bytes: "What I saw." },
    );
    expect((await nobody.post(`/events/${event.id}/incidents`, upload, bearer(token))).status).toBe(201);
    const own = await nobody.get("/api/users/me/incidents?search=Filed", bearer(token));
    expect(own.body.pagination.total).toBe(2);
    expect((await nobody.get(`/api/events/${event.id}`, bearer(token))).status).toBe(403);
  });

  test("reads roles live", async () => {
    const person = await world.person("Losing Person", { events: [[event, "Responder"]] });
    const token = await tokenOf(person);
    const list = () => nobody.get(`/api/events/${event.id}/incidents`, bearer(token));
    expect((await list()).status).toBe(200);
    await world.revoke(person, event);
    expect((await list()).status).toBe(403);
  });

  test("ignores the cookie", async () => {
    const cookie = world.as(sam).cookie;
    const token = await tokenOf(maya);
    expect((await nobody.get("/api/session", bearer(token, { cookie }))).body.user.id).toBe(maya.id);
    for (const bad of ["", "x", "heed_short", `heed_${"A".repeat(43)}`, `${token}x`]) {
      const reply = await nobody.get("/api/users/me/incidents", bearer(bad, { cookie }));
      expectRefusal(reply, "401 TOKEN_INVALID", bad);
      expect(reply.headers["www-authenticate"]).toBe(INVALID_TOKEN);
      expect((await nobody.get("/api/session", bearer(bad, { cookie }))).body).toEqual({
        authenticated: false,
      });
    }
    const other = { headers: { authorization: "Basic c2FtOng=", cookie } };
    expect((await nobody.get("/api/session", other)).body.user.id).toBe(sam.id);
    const lower = { headers: { authorization: `bearer ${token}` } };
    expect((await nobody.get("/api/session", lower)).body.user.id).toBe(maya.id);
  });

  test("ends when it runs out", async () => {
    const { token, apiToken } = (await make(maya)).body;
    await heed.sql("update api_tokens set expires_at = now() - interval '1 second' where id = $1", [
      apiToken.id,
    ]);
    const reply = await nobody.get("/api/users/me", bearer(token));
    expectRefusal(reply, "401 TOKEN_EXPIRED");
    expect(reply.headers["www-authenticate"]).toContain('error="invalid_token"');
    expect((await nobody.get("/api/session", bearer(token))).body).toEqual({ authenticated: false });
  });

  test("no token is named where none was sent, or where none counts", async () => {
    const reply = await nobody.get("/api/users/me");
    expectRefusal(reply, "401 UNAUTHENTICATED");
    expect(reply.headers["www-authenticate"]).toBe('Bearer realm="Heed"');
    const basic = await nobody.get("/api/users/me", { headers: { authorization: "Basic c2FtOng=" } });
    expectRefusal(basic, "401 UNAUTHENTICATED");
    const mailbox = await nobody.get("/api/mailbox", bearer("heed_short"));
    expectRefusal(mailbox, "401 UNAUTHENTICATED");
  });

  test("ends when its owner removes it, and nobody else can", async () => {
    const { token, apiToken } = (await make(maya)).body;
    expectRefusal(await world.as(sam).delete(`${TOKENS}/${apiToken.id}`), "404 NOT_FOUND");
    expect((await nobody.get("/api/users/me", bearer(token))).status).toBe(200);
    expect((await world.as(maya).delete(`${TOKENS}/${apiToken.id}`)).status).toBe(204);
    expectRefusal(await nobody.get("/api/users/me", bearer(token)), "401 TOKEN_INVALID");
    expectRefusal(await world.as(maya).delete(`${TOKENS}/${apiToken.id}`), "404 NOT_FOUND");
  });

  test("ends with a new password", async () => {
    const person = await world.person("Token Keeper");
    const token = await tokenOf(person);
    const change = { currentPassword: PASSWORD, newPassword: "nine quiet herons" };
    expect((await world.as(person).patch("/api/users/me/password", change)).status).toBe(200);
    expect((await nobody.get("/api/users/me", bearer(token))).status).toBe(401);
    expect(await heed.rows("api_tokens", "user_id = $1", [person.id])).toBe(0);
  });
});

describe("a read-only token", () => {
  test("reads, and changes nothing anywhere", async () => {
    const token = await tokenOf(sam, { scope: "read" });
    expect((await nobody.get(`/api/events/${event.id}/incidents`, bearer(token))).status).toBe(200);
    expect(
      (await nobody.send("HEAD", `/api/events/${event.id}/incidents`, undefined, bearer(token))).status,
    ).toBe(200);
    // Where nobody is identified, a token is ignored (contract 14).
    const unidentified = ROWS.map(({ path }) => path).filter((path) =>
      /^\/api\/mailbox\b|\/anonymous-reports$/.test(path),
    );
    const writing = ROWS.filter(({ method, path }) => method !== "GET" && !unidentified.includes(path));
    // The method alone decides, before the operation is looked at: three of each stand for the others.
    const ofEachMethod = [...Map.groupBy(writing, ({ method }) => method).values()].flatMap((alike) =>
      alike.slice(0, 3),
    );
    await nobody.expectNothingWritten("a token that reads", async () => {
      for (const [name, row] of addRowTitles(ofEachMethod)) {
        const reply = await nobody.send(row.method, caller.path(row), undefined, bearer(token));
        expectRefusal(reply, "403 TOKEN_SCOPE", name);
      }
    });
  });
});

describe("a token for an event", () => {
  test("holds the roles of that event and no others", async () => {
    const person = await world.person("Everywhere", {
      systemAdmin: true,
      organization: [organization, "org_admin"],
      events: [
        [event, "Responder"],
        [otherEvent, "Admin"],
      ],
    });
    const other = await world.report(world.ines, otherEvent, { title: "OTHER-MARKER title" });
    await heed.sql("insert into pins (user_id, incident_id, event_id) values ($1, $2, $3)", [
      person.id,
      other.id,
      otherEvent.id,
    ]);
    const token = await tokenOf(person, { eventId: event.id });
    const of = (path: string) => nobody.get(path, bearer(token));
    expect((await of("/api/session")).body.user.roles).toEqual({
      system: [],
      organizations: [],
      events: [{ eventId: event.id, slug: event.slug, roles: ["Responder"] }],
    });
    expect((await of(`/api/events/${event.id}/incidents`)).status).toBe(200);
    expect((await of(`/api/events/${otherEvent.id}/incidents/${other.id}`)).status).toBe(403);
    const across = await of("/api/users/me/incidents?limit=100");
    expect(across.status).toBe(200);
    expect(across.text).not.toContain("OTHER-MARKER");
    expect((await of("/api/users/me/pins")).body.incidentIds).toEqual([]);
    expect((await of(`/api/events/slug/${otherEvent.slug}/my-roles`)).body).toEqual({ roles: [] });
  });

  test("of a SystemAdmin without a role there passes every check of that event, and of nothing else", async () => {
    const system = await world.person("Scripting System", { systemAdmin: true });
    // An organization of another test requires it, which holds for every SystemAdmin.
    await insertSecondFactor(world, system);
    expectRefusal(await make(system, { eventId: UNKNOWN_ID }), "404 NOT_FOUND");
    const reports = await Promise.all([world.report(maya, event), world.report(world.ines, otherEvent)]);
    const token = await tokenOf(system, { eventId: event.id, scope: "write" });
    const of = (path: string) => nobody.get(path, bearer(token));
    const inEvent = `/api/events/${event.id}/incidents/${reports[0].id}`;
    expect((await of(inEvent)).status).toBe(200);
    const list = await of("/api/users/me/incidents?limit=100");
    expect(list.text).toContain(reports[0].id);
    for (const query of [`event=${event.id}&event=${otherEvent.id}`, "limit=100"])
      expect((await of(`/api/users/me/incidents?${query}`)).text).not.toContain(reports[1].id);
    const written = await nobody.patch(`${inEvent}/title`, { title: "A title by a program" }, bearer(token));
    expect(written.status, written.text).toBe(200);
    const [entry] = await heed.sql(
      "select by_right from audit_entries where actor_id = $1 and action = 'incident.retitle'",
      [system.id],
    );
    expect(entry).toEqual({ by_right: "SystemAdmin" });
    for (const path of [`/api/events/${otherEvent.id}/incidents/${reports[1].id}`, "/api/admin/users"])
      expect((await of(path)).status, path).toBe(403);
    await heed.sql("update users set system_admin = false where id = $1", [system.id]);
    expect((await of(inEvent)).status).toBe(403);
    expectRefusal(await make(system, { eventId: event.id }), "404 NOT_FOUND");
  });

  test("has no access once the role is lost, and is deleted with the event", async () => {
    const own: EventRef = await world.newEvent(organization);
    const person = await world.person("Event Script", { events: [[own, "Responder"]] });
    const token = await tokenOf(person, { eventId: own.id });
    const list = () => nobody.get(`/api/events/${own.id}/incidents`, bearer(token));
    expect((await list()).status).toBe(200);
    await world.revoke(person, own);
    expect((await list()).status).toBe(403);
    await heed.sql("delete from events where id = $1", [own.id]);
    expect((await list()).status).toBe(401);
  });
});

describe("a token for an organization", () => {
  test("holds the roles in it and its events, and no others", async () => {
    const foreign = await world.newOrganization("Foreign Guild");
    const foreignEvent = await world.newEvent(foreign);
    const person = await world.person("Two Homes", {
      organization: [organization, "org_admin"],
      events: [
        [event, "Responder"],
        [foreignEvent, "Admin"],
      ],
    });
    await heed.sql(
      "insert into organization_members (organization_id, user_id, role) values ($1, $2, 'org_admin')",
      [foreign.id, person.id],
    );
    const own = await world.report(maya, event, { title: "OWN-MARKER title" });
    const other = await world.report(person, foreignEvent, { title: "FOREIGN-MARKER title" });
    const made = await make(person, { organizationId: organization.id });
    expect(made.body.apiToken).toMatchObject({
      event: null,
      organization: { id: organization.id, name: organization.name, slug: organization.slug },
    });
    const of = (path: string) => nobody.get(path, bearer(made.body.token));
    expect((await of("/api/session")).body.user.roles).toEqual({
      system: [],
      organizations: [{ organizationId: organization.id, slug: organization.slug, role: "org_admin" }],
      events: [{ eventId: event.id, slug: event.slug, roles: ["Responder"] }],
    });
    for (const path of [
      `/api/organizations/${organization.id}`,
      `/api/organizations/${organization.id}/audit`,
      `/api/events/${event.id}/incidents/${own.id}`,
    ])
      expect((await of(path)).status, path).toBe(200);
    for (const path of [
      `/api/organizations/${foreign.id}/reports/export?format=csv`,
      `/api/events/${foreignEvent.id}/incidents/${other.id}`,
    ]) {
      const reply = await of(path);
      expect([path, ...summarizeResponse(reply)]).toEqual([path, 403, "FORBIDDEN"]);
    }
    const across = await of("/api/users/me/incidents?limit=100");
    expect(across.text).toContain("OWN-MARKER");
    for (const path of [
      "/api/users/me/incidents?limit=100",
      `/api/users/me/incidents?event=${foreignEvent.id}`,
      "/api/users/me/incidents/export/matching",
      "/api/users/me/jump?search=MARKER",
    ])
      expect((await of(path)).text, path).not.toContain("FOREIGN-MARKER");
    await heed.sql("delete from organization_members where organization_id = $1 and user_id = $2", [
      organization.id,
      person.id,
    ]);
    expect((await of(`/api/organizations/${organization.id}`)).status).toBe(403);
  });

  test("takes a role in it, and goes with it", async () => {
    const place = await world.newOrganization("Passing Guild");
    for (const [person, organizationId] of [
      [maya, UNKNOWN_ID],
      [maya, place.id],
      [sam, place.id],
    ] as const)
      expectRefusal(await make(person, { organizationId }), "404 NOT_FOUND");
    const person = await world.person("Passing Admin", { organization: [place, "org_admin"] });
    const token = await tokenOf(person, { organizationId: place.id });
    const show = () => nobody.get(`/api/organizations/${place.id}`, bearer(token));
    expect((await show()).status).toBe(200);
    await heed.sql("delete from organizations where id = $1", [place.id]);
    expect((await show()).status).toBe(401);
  });

  test("of a SystemAdmin carries their roles there, and nothing of the system role", async () => {
    const system = await world.person("Member System", {
      systemAdmin: true,
      organization: [organization, "org_viewer"],
    });
    await insertSecondFactor(world, system);
    const token = await tokenOf(system, { organizationId: organization.id });
    const report = await world.report(maya, event);
    const of = (path: string) => nobody.get(path, bearer(token));
    expect((await of(`/api/organizations/${organization.id}`)).status).toBe(200);
    for (const path of [
      `/api/organizations/${organization.id}/audit`,
      `/api/events/${event.id}/incidents/${report.id}`,
      "/api/organizations",
      "/api/admin/users",
    ])
      expectRefusal(await of(path), "403 FORBIDDEN", path);
  });
});

describe("an export token", () => {
  test("downloads exports, and reads and changes nothing else", async () => {
    const person = await world.person("Exporting Person", {
      organization: [organization, "org_admin"],
      events: [[event, "Admin"]],
    });
    const report = await world.report(maya, event, { title: "EXPORTED-MARKER title" });
    const token = await tokenOf(person, { scope: "export" });
    const of = (path: string) => nobody.get(path, bearer(token));
    for (const path of [
      `/api/organizations/${organization.id}/reports/export?format=csv`,
      `/api/organizations/${organization.id}/reports/export?format=pdf`,
      `/api/users/me/incidents/export?ids=${report.id}`,
      "/api/users/me/incidents/export/matching",
    ]) {
      const reply = await of(path);
      expect([path, reply.status]).toEqual([path, 200]);
      expect(reply.text, path).toContain("EXPORTED-MARKER");
    }
    await nobody.expectNothingWritten("a token for exports", async () => {
      for (const [name, row] of addRowTitles(ROWS)) {
        if (row.opensMailbox || row.who.includes("nobody") || row.path.includes("/export")) continue;
        const reply = await nobody.send(row.method, caller.path(row), undefined, bearer(token));
        expectRefusal(reply, "403 TOKEN_SCOPE", name);
        expect(reply.text, name).not.toContain("MARKER");
      }
    });
  });

  test("exports only what its person still may, in its event only", async () => {
    const person = await world.person("Event Exporter", {
      events: [
        [event, "Responder"],
        [otherEvent, "Responder"],
      ],
    });
    const [own, other] = [await world.report(maya, event), await world.report(world.ines, otherEvent)];
    const token = await tokenOf(person, { scope: "export", eventId: event.id });
    const chosen = (id: string) => nobody.get(`/api/users/me/incidents/export?ids=${id}`, bearer(token));
    expect((await chosen(own.id)).status).toBe(200);
    expectRefusal(await chosen(other.id), "404 NOT_FOUND");
    await world.revoke(person, event);
    expectRefusal(await chosen(own.id), "404 NOT_FOUND");
  });
});

describe("no token", () => {
  const SECURE: [string, string, object?][] = [
    ["GET", TOKENS],
    ["POST", TOKENS, { name: "More", scope: "write", currentPassword: "a quiet river at dawn" }],
    ["DELETE", `${TOKENS}/${UNKNOWN_ID}`],
    ["GET", "/api/users/me/sessions"],
    ["DELETE", "/api/users/me/sessions"],
    ["DELETE", `/api/users/me/sessions/${UNKNOWN_ID}`],
    [
      "PATCH",
      "/api/users/me/password",
      { currentPassword: "a quiet river at dawn", newPassword: "another one" },
    ],
    ["POST", "/api/users/me/second-factor", { password: "a quiet river at dawn" }],
    ["DELETE", "/api/users/me/second-factor", { password: "a quiet river at dawn", code: "123456" }],
    ["POST", "/api/users/me/second-factor/confirm", { code: "123456" }],
    ["POST", "/api/users/me/second-factor/recovery-codes", { password: "a quiet river at dawn" }],
    ["GET", "/api/users/me/export"],
    ["DELETE", "/api/users/me", { password: "a quiet river at dawn" }],
    ["PATCH", "/api/users/me/profile", { email: "m@example.org", currentPassword: "a quiet river at dawn" }],
    ["PATCH", "/api/users/me/profile", { name: "Another Name" }],
    ["POST", "/api/auth/reset-password", { token: "unknown", newPassword: "another quiet river" }],
    ["POST", "/api/auth/confirm-email", { token: "unknown" }],
    ["POST", "/api/auth/verify-email", { token: "unknown" }],
    ["POST", "/api/users/me/verify-email"],
    ["POST", "/api/auth/logout"],
  ];

  test("may do what decides who gets into the account", async () => {
    const token = await tokenOf(olga);
    for (const [method, path, body] of SECURE) {
      const reply = await nobody.send(method, path, body, bearer(token));
      expectRefusal(reply, "403 TOKEN_SCOPE", `${method} ${path}`);
    }
    expect((await nobody.get("/api/users/me", bearer(token))).status).toBe(200);
  });

  test("an unrestricted token may change the language", async () => {
    const person = await world.person("Scripted Language");
    const reply = await nobody.patch(
      "/api/users/me/profile",
      { locale: "es" },
      bearer(await tokenOf(person)),
    );
    expect([reply.status, reply.body.account.locale]).toEqual([200, "es"]);
  });

  test("gives the system role, which reaches every account", async () => {
    const token = await tokenOf(sam);
    const path = `/api/admin/users/${maya.id}`;
    expectRefusal(await nobody.patch(path, { systemAdmin: true }, bearer(token)), "403 TOKEN_SCOPE");
    expect(await heed.rows("users", "id = $1 and system_admin", [maya.id])).toBe(0);
  });
});

describe("no token changes a name, an address, a password or a second factor", () => {
  /** Of every account of this file: what it is known by and signs in with, and the address that waits for it. */
  const identities = async () => {
    const rows = await heed.sql<{ id: string; known: string }>(
      `select u.id, concat_ws('|', u.email, u.name, u.password_hash, encode(f.secret, 'hex'), f.confirmed_at, c.new_email,
         (select string_agg(encode(r.code_hash, 'hex'), ',' order by r.code_hash) from recovery_codes r
          where r.user_id = u.id)) as known
       from users u left join second_factors f on f.user_id = u.id left join email_changes c on c.user_id = u.id
       where u.created_at >= (select created_at from users where id = $1)`,
      [sam.id],
    );
    expect(rows.length).toBeGreaterThan(10);
    return new Map(rows.map(({ id, known }) => [id, known]));
  };
  const changing = keepOnePerOperation(ROWS.filter(({ method }) => method !== "GET"));
  const hostile = (body: unknown) => {
    const given = (body ?? {}) as Record<string, unknown>;
    return {
      ...given,
      ...("name" in given && { name: "Taken Over" }),
      ...("email" in given && { email: `${generateUniqueWord()}@example.org`, currentPassword: PASSWORD }),
    };
  };

  // The next test has the other two on the route that changes names.
  test("through any route: of an event Admin for the event, and of a SystemAdmin for all", async () => {
    const tokens = [await tokenOf(ada, { eventId: event.id }), await tokenOf(sam)];
    for (const [name, row] of addRowTitles(changing)) {
      let example = await row.example?.(world, "sam");
      let before = await identities();
      for (const token of tokens) {
        const { params, body } = example ?? {};
        const sent = row.body === "json" ? hostile(body) : body;
        const { status } = await nobody.send(row.method, caller.path(row, params), sent, {
          ...bearer(token),
          mayWrite: true,
        });
        const after = await identities();
        expect(
          [...before].filter(([id, known]) => after.get(id) !== known),
          name,
        ).toEqual([]);
        before = after;
        if (status >= 400) continue;
        // What was refused is as it was, for the next token.
        example = await row.example?.(world, "sam");
        before = await identities();
      }
    }
  });

  test.each([
    ["a SystemAdmin's", sam],
    ["an event Admin's", ada],
  ])("of a person of the event, their own included: %s, while roles may change", async (_, person) => {
    const other = await world.person("Kept Name", { events: [[event, "Responder"]] });
    await world.grant(person, otherEvent, "Admin");
    const own = await world.newEvent(organization);
    for (const somebody of [person, other]) await world.grant(somebody, own, "Admin");
    for (const token of [await tokenOf(person), await tokenOf(person, { eventId: own.id })])
      for (const { id, name, email } of [other, person]) {
        const path = `/api/events/slug/${own.slug}/users/${id}`;
        const ask = (change: object) =>
          nobody.patch(
            path,
            { name, email, role: "Admin", currentPassword: PASSWORD, ...change },
            bearer(token),
          );
        for (const change of [{ name: "Taken Over" }, { email: `${generateUniqueWord()}@example.org` }])
          expectRefusal(await ask({ ...change, role: "Reporter" }), "403 TOKEN_SCOPE");
        expect((await ask({})).status).toBe(200);
        expect(await heed.rows("users", "id = $1 and name = $2 and email = $3", [id, name, email])).toBe(1);
        expect(
          await heed.rows("event_roles", "event_id = $1 and user_id = $2 and role_name = 'Admin'", [
            own.id,
            id,
          ]),
        ).toBe(1);
        expect(await heed.rows("email_changes", "user_id = $1", [id])).toBe(0);
      }
    await world.revoke(person, otherEvent);
  });
});

test("the description names both ways in, and where only a session will do", async () => {
  const { body } = await nobody.get("/api/openapi.json");
  expect(body.components.securitySchemes.token).toMatchObject({ type: "http", scheme: "bearer" });
  expect(body.paths["/api/users/me/incidents"].get.security).toEqual([{ session: [] }, { token: [] }]);
  expect(body.paths["/api/users/me/tokens"].post.security).toEqual([{ session: [] }]);
  expect(body.paths["/api/auth/login"].post.security).toEqual([]);
});
