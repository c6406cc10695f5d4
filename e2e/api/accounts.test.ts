import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { makeNextAccountTheFirst } from "#e2e/support/first-account.ts";
import { readMails, waitForMails, waitForResetToken } from "#e2e/support/outbox.ts";
import { shareService, startService, type Service } from "#e2e/support/service.ts";
import { countOutcomes, runConcurrently, summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import {
  expectShape,
  checkExactly,
  checkList,
  checkRecord,
  checkText,
  checkTime,
  USER,
  checkUuid,
} from "#e2e/support/shapes.ts";
import { PASSWORD, TestWorld } from "#e2e/support/world.ts";

/** Accounts and sign-in (contract 4). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { nobody } = world;

function account(changes: Record<string, unknown> = {}) {
  return {
    email: `${generateUniqueWord()}@example.org`,
    password: "seven small lanterns",
    name: "Somebody New",
    ...changes,
  };
}

const register = (changes: Record<string, unknown> = {}) =>
  nobody.post("/api/auth/register", account(changes));
const login = (email: string, password = PASSWORD) =>
  heed.visitor().post("/api/auth/login", { email, password });

describe("register", () => {
  // lib/accounts/schema.test.ts has what is refused.
  test("makes the first account SystemAdmin, says so, and does not sign in", async () => {
    await makeNextAccountTheFirst(heed);
    const client = heed.visitor();
    const first = await client.post("/api/auth/register", account({ name: "The First One" }));
    expect(first.status, first.text).toBe(201);
    expectShape(first.body, { message: checkText, user: USER, madeSystemAdmin: checkExactly(true) });
    expect(await heed.rows("users", "id = $1 and system_admin", [first.body.user.id])).toBe(1);
    expect(client.cookie).toBeUndefined();
  });

  test("makes every later one an account like any other, whatever it says of itself", async () => {
    const id = "11111111-1111-4111-8111-111111111111";
    const extra = { id, role: "SystemAdmin", isAdmin: true, systemAdmin: true, madeSystemAdmin: true };
    const reply = await register({ ...extra, passwordHash: "x", name: "  Second  One " });
    expect(reply.status).toBe(201);
    expectShape(reply.body, { message: checkText, user: USER });
    expect(reply.body.user).toMatchObject({ name: "Second  One", avatarUrl: null });
    expect(reply.body.user.id).not.toBe(id);
    const [row] = await heed.sql("select system_admin, password_hash from users where id = $1", [
      reply.body.user.id,
    ]);
    expect(row).toEqual({ system_admin: false, password_hash: expect.stringMatching(/^\$2b\$/) });
  });

  test("names every field that is wrong", async () => {
    const reply = await nobody.post("/api/auth/register", {});
    expect(reply.body.details).toBe("email: is missing; password: is missing; name: is missing");
  });

  test.each([
    ["all of it counts", "x".repeat(72), `${"x".repeat(72)}tail`],
    ["blanks count", ` "it's" <b>\\🪷 ä  `, `"it's" <b>\\🪷 ä`],
    [
      "letters and their marks stay as they are",
      ` "it's" <b>\\🪷 ä  `,
      ` "it's" <b>\\🪷 ä  `.normalize("NFD"),
    ],
  ])("keeps a password exactly as it was typed: %s", async (_, password, other) => {
    const { email } = (await register({ password })).body.user;
    expect((await login(email, other)).status).toBe(401);
    expect((await login(email, password)).status).toBe(200);
  });
});

describe("register with an invite", () => {
  async function invite(disabled = false): Promise<string> {
    const code = `code-${generateUniqueWord()}`;
    await heed.sql(
      `insert into invites (code, organization_id, event_id, role, disabled) values ($1, $2, $3, 'Reporter', $4)`,
      [code, world.organization.id, world.event.id, disabled],
    );
    return code;
  }

  const join = (code: string, changes = {}) =>
    nobody.post(`/api/auth/register/invite/${code}`, account(changes));

  test("takes the role from the invite and from nowhere else", async () => {
    const code = await invite();
    const more = {
      role: "Admin",
      roleName: "Admin",
      eventId: world.otherEvent.id,
      organizationId: world.foreignOrganization.id,
    };
    const reply = await join(code, more);
    const roles = await heed.sql("select event_id, role_name from event_roles where user_id = $1", [
      reply.body.user.id,
    ]);
    expect(roles).toEqual([{ event_id: world.event.id, role_name: "Reporter" }]);
    expect(await heed.rows("organization_members", "user_id = $1", [reply.body.user.id])).toBe(0);
  });

  // invites.test.ts has the reasons; that no account comes of it is looked at by the client, after every refusal.
  test("refuses a code that can't be used, and an address that has an account, which counts no use", async () => {
    const reply = await join(await invite(true));
    expect(summarizeResponse(reply)).toEqual([410, "INVITE_DISABLED"]);
    const code = await invite();
    const taken = await join(code, { email: world.nora.email });
    expect(summarizeResponse(taken)).toEqual([409, "EMAIL_TAKEN"]);
    expect(await heed.sql("select use_count from invites where code = $1", [code])).toEqual([
      { use_count: 0 },
    ]);
  });
});

describe("login", () => {
  test("responds with the user and sets a cookie", async () => {
    const reply = await login(` ${world.nora.email.toUpperCase()} `);
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { message: checkText, user: USER });
    expect(reply.body.user).toEqual({
      id: world.nora.id,
      email: world.nora.email,
      name: world.nora.name,
      avatarUrl: null,
    });
    const [cookie = "", device = "", ...more] = reply.headers["set-cookie"] ?? [];
    expect(more).toEqual([]);
    expect(device).toMatch(/^device=[^;]{100,}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax$/);
    const [pair = "", ...attributes] = cookie.split("; ");
    expect(pair).toMatch(/^session=[^;]{100,}$/);
    expect(cookie).not.toContain(world.nora.id);
    expect(attributes.sort()).toEqual(["HttpOnly", "Max-Age=86400", "Path=/", "SameSite=Lax"]);
    const rows = await heed.sql("select token_hash from sessions where user_id = $1", [world.nora.id]);
    expect(rows.every((row) => row.token_hash.length === 32)).toBe(true);
  });

  test("says the same of an unknown address and of a wrong password", async () => {
    const wrong = await login(world.boris.email, "not the password");
    const unknown = await login("nobody.at.all@example.org", "not the password");
    expect([wrong.status, wrong.body.code]).toEqual([401, "INVALID_CREDENTIALS"]);
    expect(unknown.status).toBe(401);
    expect(unknown.body).toEqual(wrong.body);
    expect(wrong.headers["set-cookie"]).toBeUndefined();
  });

  test("refuses a disabled account as if it weren't there, and its sessions and tokens", async () => {
    const person = await world.person("Disabled Person");
    const body = { name: "T", scope: "read", currentPassword: PASSWORD };
    const { token } = (await world.as(person).post("/api/users/me/tokens", body)).body;
    const useToken = () =>
      nobody.get("/api/users/me/pins", { headers: { authorization: `Bearer ${token}` } });
    expect((await useToken()).status).toBe(200);
    await heed.sql("update users set disabled_at = now() where id = $1", [person.id]);
    expect(summarizeResponse(await login(person.email))).toEqual([401, "INVALID_CREDENTIALS"]);
    expect((await world.as(person).get("/api/users/me/pins")).status).toBe(401);
    expect((await useToken()).status).toBe(401);
  });

  test("opens a new session each time, whatever cookie came along", async () => {
    const victim = heed.visitor();
    const planted = (await world.device(world.rita)).cookie;
    victim.cookie = planted;
    await victim.post("/api/auth/login", { email: world.nora.email, password: PASSWORD });
    const opened = victim.cookie;
    expect(opened).not.toBe(planted);
    await victim.post("/api/auth/login", { email: world.nora.email, password: PASSWORD });
    expect(victim.cookie).not.toBe(opened);
    const whose = await heed.visitor(planted).get("/api/session");
    expect(whose.body.user.id).toBe(world.rita.id);
  });

  test("recognizes the device without revealing its accounts, whoever signs in there", async () => {
    const [one, other] = [await world.person("First Here"), await world.person("Second Here")];
    const shared = heed.visitor();
    const cookies: string[] = [];
    for (const { email } of [one, other, one]) {
      await shared.post("/api/auth/login", { email, password: PASSWORD });
      cookies.push(decodeURIComponent(shared.device ?? ""));
    }
    expect(new Set(cookies).size).toBe(3);
    expect(new Set(cookies.map(({ length }) => length)).size).toBe(1);
    for (const hint of [one.id, other.id, one.email.split("@")[0] ?? ""])
      expect(cookies.join(" ").toLowerCase()).not.toContain(hint);
    // As a word of its own: the sealed characters are random, and now and then hold these four.
    expect(cookies.join(" ")).not.toMatch(/(?<![\w-])heed(?![\w-])/i);
    // It stays when its owner signs out.
    await shared.post("/api/auth/logout");
    expect(shared.device).toBeDefined();
  });

  test("never responds with 429 in local mode", async () => {
    const replies = await runConcurrently(8, () => login("somebody.else@example.org", "wrong"));
    expect(countOutcomes(replies)).toEqual({ "401 INVALID_CREDENTIALS": 8 });
  });
});

describe("session", () => {
  const ROLES = checkRecord({
    system: checkList(checkExactly("SystemAdmin")),
    organizations: checkList(
      checkRecord({
        organizationId: checkUuid,
        slug: checkText,
        role: checkExactly("org_admin", "org_viewer"),
      }),
    ),
    events: checkList(
      checkRecord({
        eventId: checkUuid,
        slug: checkText,
        roles: checkList(checkExactly("Reporter", "Responder", "Admin")),
      }),
    ),
  });

  test("of a visitor", async () => {
    for (const path of ["/api/auth/session", "/api/session", "/session"])
      expect((await nobody.get(path)).body).toEqual({ authenticated: false });
  });

  test("of a signed-in person, with every role", async () => {
    const person = await world.person("Many Roles", {
      organization: [world.organization, "org_viewer"],
      events: [
        [world.event, "Responder", "Reporter"],
        [world.foreignEvent, "Reporter"],
      ],
    });
    const reply = await world.as(person).get("/api/auth/session");
    expect(reply.status).toBe(200);
    expectShape(reply.body, {
      authenticated: checkExactly(true),
      user: checkRecord({
        id: checkUuid,
        email: checkText,
        name: checkText,
        avatarUrl: checkExactly(null),
        emailVerified: checkExactly(true),
        roles: ROLES,
      }),
    });
    expect(reply.body.user.roles.system).toEqual([]);
    expect(reply.body.user.roles.organizations).toEqual([
      { organizationId: world.organization.id, slug: world.organization.slug, role: "org_viewer" },
    ]);
    expect(reply.body.user.roles.events).toHaveLength(2);
    expect(reply.body.user.roles.events).toContainEqual({
      eventId: world.event.id,
      slug: world.event.slug,
      roles: ["Reporter", "Responder"],
    });
    for (const path of ["/api/session", "/session"])
      expect((await world.as(person).get(path)).body).toEqual(reply.body);
    const { user } = (await world.as(world.sam).get("/session")).body;
    expect(user.roles).toEqual({ system: ["SystemAdmin"], organizations: [], events: [] });
  });

  test.each([
    ["nothing", "session="],
    ["a word", "session=x"],
    ["eight parts", `session=${encodeURIComponent("Fe26.1*1*a*b*c*d*e*f")}`],
    ["an expiry that is no number", `session=${encodeURIComponent("Fe26.2*1*a*b*c*abc*e*f~2")}`],
    ["9 kB", `session=${"a".repeat(9000)}`],
    ["half a percent sign", "session=%E0%A4%A"],
    ["two of that name, the first no good", "session=x; session=y"],
    ["another name", "Session=x; __Host-session=x"],
    ["semicolons only", ";;;;==;"],
  ])("of a cookie with %s: an anonymous visitor", async (_, cookie) => {
    const client = heed.visitor();
    const headers = { cookie };
    expect((await client.get("/api/session", { headers })).body).toEqual({ authenticated: false });
    const refused = await client.get("/api/users/me/pins", { headers });
    expect([refused.status, refused.body.code]).toEqual([401, "UNAUTHENTICATED"]);
  });

  test("of a changed cookie is that of a visitor", async () => {
    const cookie = (await world.device(world.nora)).cookie ?? "";
    for (const at of [12, Math.floor(cookie.length / 2), cookie.length - 4]) {
      const bent = `${cookie.slice(0, at)}${cookie[at] === "A" ? "B" : "A"}${cookie.slice(at + 1)}`;
      expect((await heed.visitor(bent).get("/api/session")).body).toEqual({ authenticated: false });
    }
  });

  const NEWEST = "id = (select id from sessions where user_id = $1 order by created_at desc limit 1)";
  const lastUsed = (ago: string) =>
    heed.sql(`update sessions set last_used_at = now() - interval '${ago}' where ${NEWEST}`, [world.nora.id]);

  test("ends after the idle limit, and is renewed by the end of the period in which it is used", async () => {
    const client = await world.device(world.nora);
    await lastUsed("1 hour 59 minutes");
    expect((await client.get("/api/session")).body.authenticated).toBe(true);
    // Another session: the use of the first one is written when a period ends, which may be just now.
    const unused = await world.device(world.nora);
    await lastUsed("2 hours 11 seconds");
    expect((await unused.get("/api/session")).body).toEqual({ authenticated: false });
    expect((await unused.get("/api/users/me/pins")).status).toBe(401);
  });

  test("ends at the absolute limit, however much it is used", async () => {
    const client = await world.device(world.nora);
    const seconds = async () => {
      const lasts = "extract(epoch from expires_at - created_at)::int as seconds";
      return heed.sql(`select ${lasts} from sessions where ${NEWEST}`, [world.nora.id]);
    };
    await lastUsed("1 hour");
    expect((await client.get("/api/session")).body.authenticated).toBe(true);
    expect(await seconds()).toEqual([{ seconds: 86_400 }]);
    await heed.sql(`update sessions set expires_at = now() - interval '1 second' where ${NEWEST}`, [
      world.nora.id,
    ]);
    expect((await client.get("/api/session")).body).toEqual({ authenticated: false });
    const refused = await client.get("/api/users/me/pins");
    expect([refused.status, refused.body.code]).toEqual([401, "UNAUTHENTICATED"]);
  });
});

describe("logout", () => {
  test("revokes the session: a copy of the cookie is invalid, other devices stay signed in", async () => {
    const [client, other] = [await world.device(world.nora), await world.device(world.nora)];
    const copy = heed.visitor(client.cookie);
    const reply = await client.post("/api/auth/logout");
    expect(reply.status).toBe(200);
    expectShape(reply.body, { message: checkText });
    expect(String(reply.headers["set-cookie"])).toMatch(/^session=; .*Max-Age=0/);
    expect((await copy.get("/api/session")).body).toEqual({ authenticated: false });
    expect((await copy.get("/api/users/me/pins")).status).toBe(401);
    expect((await other.get("/api/session")).body.authenticated).toBe(true);
  });

  test("without a session is 401, and removes a stale cookie", async () => {
    const reply = await heed.visitor("session=dead").post("/api/auth/logout");
    expect([reply.status, reply.body.code]).toEqual([401, "UNAUTHENTICATED"]);
    expect(String(reply.headers["set-cookie"])).toMatch(/^session=; .*Max-Age=0/);
  });
});

describe("check-email", () => {
  const check = (query: string) => nobody.get(`/api/auth/check-email${query}`);

  test("says whether what is one address has no account", async () => {
    expect((await check("?email=free.address@example.org")).body).toEqual({ available: true });
    const taken = encodeURIComponent(` ${world.nora.email.toUpperCase()} `);
    expect((await check(`?email=${taken}`)).body).toEqual({ available: false });
    for (const query of ["", "?email=nonsense", "?email=a@example.org&email=b@example.org", "?email=%ff"])
      expect(summarizeResponse(await check(query)), query).toEqual([400, "VALIDATION_ERROR"]);
  });
});

describe("a forgotten password", () => {
  const forgot = (email: string, ask = {}) => nobody.post("/api/auth/forgot-password", { email }, ask);
  const validate = (token: string) =>
    nobody.get(`/api/auth/validate-reset-token?token=${encodeURIComponent(token)}`);
  const reset = (token: string, newPassword = "nine quiet herons") =>
    nobody.post("/api/auth/reset-password", { token, newPassword });

  test("is replaced with the newest mailed link, once, of which only the hash is stored", async () => {
    const person = await world.person("Forgetful Person");
    const [here, phone] = [await world.device(person), await world.device(person)];
    const requested = await forgot(` ${person.email.toUpperCase()}`);
    expect(requested.status).toBe(200);
    expectShape(requested.body, { message: checkText });
    const older = await waitForResetToken(heed, person.email);
    await forgot(person.email);
    const token = await waitForResetToken(heed, person.email, 2);
    expect((await validate(older)).body).toEqual({ valid: false });
    expect((await reset(older)).body.code).toBe("RESET_TOKEN_INVALID");

    expect(Buffer.from(token, "base64url").length).toBe(32);
    const [row] = await heed.sql("select token_hash from password_resets where user_id = $1", [person.id]);
    expect(row?.token_hash.equals(createHash("sha256").update(token).digest())).toBe(true);
    const jobs = await heed.sql("select payload::text from graphile_worker._private_jobs");
    expect(JSON.stringify(jobs) + requested.text).not.toContain(token);

    expect((await reset(token, "short")).body.code).toBe("VALIDATION_ERROR");
    const valid = await validate(token);
    expectShape(valid.body, {
      valid: checkExactly(true),
      email: checkExactly(person.email),
      expiresAt: checkTime,
    });
    const minutes = (Date.parse(valid.body.expiresAt) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(55);
    expect(minutes).toBeLessThanOrEqual(60);
    const newPassword = "nine quiet herons";
    const done = await here.post("/api/auth/reset-password", { token, newPassword });
    expect(done.status, done.text).toBe(200);
    expectShape(done.body, { message: checkText });
    expect(summarizeResponse(await reset(token, "another password"))).toEqual([400, "RESET_TOKEN_INVALID"]);
    const recorded = "action = 'account.resetPassword' and object_id = $1";
    expect(await heed.rows("audit_entries", recorded, [person.id])).toBe(1);
    expect((await validate(token)).body).toEqual({ valid: false });
    expect((await login(person.email)).status).toBe(401);
    expect((await login(person.email, newPassword)).status).toBe(200);
    // The session that sets the new one stays.
    expect((await here.get("/api/session")).body.authenticated).toBe(true);
    expect((await phone.get("/api/session")).body).toEqual({ authenticated: false });
    // The owner is told of it.
    const notice = (await waitForMails(heed, person.email, 3)).at(-1);
    expect(notice?.text).not.toContain(token);
  });

  test("has the same response with and without an account, and mails no unknown address", async () => {
    const person = await world.person("Known Person");
    const unknown = await forgot("unknown.person@example.org");
    const known = await forgot(person.email);
    expect(unknown.status).toBe(200);
    expect(unknown.body).toEqual(known.body);
    // Jobs run in order of time: when the later mail is there, the earlier job is done.
    await waitForMails(heed, person.email);
    expect(readMails(heed).filter(({ to }) => to === "unknown.person@example.org")).toEqual([]);
    expect(summarizeResponse(await forgot("a@example.org\r\nBcc: b@example.org"))).toEqual([
      400,
      "VALIDATION_ERROR",
    ]);
  });

  test("is never linked to where the request claims to have been sent", async () => {
    const person = await world.person("Targeted Person");
    await forgot(person.email, {
      headers: { host: "evil.test", "x-forwarded-host": "evil.test", forwarded: "host=evil.test" },
    });
    const [mail] = await waitForMails(heed, person.email);
    expect(mail?.text).not.toContain("evil.test");
    for (const link of mail?.links ?? []) expect(link).toMatch(new RegExp(`^http://localhost:${heed.port}/`));
  });

  test("has a token that expires", async () => {
    const person = await world.person("Late Person");
    await forgot(person.email);
    const token = await waitForResetToken(heed, person.email);
    await heed.sql("update password_resets set expires_at = now() - interval '1 second' where user_id = $1", [
      person.id,
    ]);
    expect((await validate(token)).body).toEqual({ valid: false });
    const reply = await reset(token);
    expect([reply.status, reply.body.code]).toEqual([400, "RESET_TOKEN_INVALID"]);
    expect((await login(person.email)).status).toBe(200);
  });

  test("is not set by an invalid token, of which nothing else is said", async () => {
    const before = await heed.sql("select id, password_hash from users order by id");
    for (const token of ["unknown", "%", "x".repeat(10_000)]) {
      expect(summarizeResponse(await reset(token))).toEqual([400, "RESET_TOKEN_INVALID"]);
      expect((await validate(token)).body).toEqual({ valid: false });
    }
    const missing = await nobody.get("/api/auth/validate-reset-token");
    expect(summarizeResponse(missing)).toEqual([400, "VALIDATION_ERROR"]);
    expect(await heed.sql("select id, password_hash from users order by id")).toEqual(before);
  });
});

describe("another key", () => {
  let rotated: Service;

  test("opens sessions of the previous key while that is configured, and reseals them; without their key they are refused", async () => {
    const { loadSessionCookieKeys } = await import("#lib/crypto/secrets.ts");
    const { env } = await import("#lib/env.ts");
    const old = loadSessionCookieKeys(env()).join(",");
    const cookie = (await world.device(world.nora)).cookie;
    const fresh = "a-new-key-of-more-than-32-characters-0123456789";
    // Its idle limit is that of the next test.
    rotated = await startService({ SESSION_KEYS: `${fresh},${old}`, SESSION_IDLE_SECONDS: "60" });
    // Dated by the period of the usual limit, which is longer.
    await heed.sql("update sessions set last_used_at = now() where user_id = $1", [world.nora.id]);
    const client = rotated.visitor(cookie);
    expect((await client.get("/api/session", { mayRenew: true })).body.user.id).toBe(world.nora.id);
    expect(client.cookie).not.toBe(cookie);
    expect((await client.get("/api/session")).body.user.id).toBe(world.nora.id);
    // The client checks that no cache may keep a cookie, though anybody may see the document.
    const described = await rotated.visitor(cookie).get("/api/openapi.json", { mayRenew: true });
    expect(described.headers["set-cookie"]).toBeDefined();
    // A service that has one of the two keys opens what was sealed with it, and refuses what needs the other.
    const resealed = await heed.visitor(client.cookie).get("/api/session");
    expect(resealed.body).toEqual({ authenticated: false });
    expect((await heed.visitor(cookie).get("/api/session")).body.user.id).toBe(world.nora.id);
  });

  test("a session stays while it is used, however short the idle limit", async () => {
    const person = await world.person("Busy Person");
    const client = rotated.visitor((await world.device(person)).cookie);
    const lastUse = async () => {
      const [row] = await rotated.sql(
        `select extract(epoch from max(last_used_at))::float8 as at from sessions where user_id = $1`,
        [person.id],
      );
      return row?.at as number;
    };
    await rotated.sql("update sessions set last_used_at = now() - interval '50 seconds' where user_id = $1", [
      person.id,
    ]);
    const countPeriods = () => Math.floor(Date.now() / 7500);
    const [before, period] = [await lastUse(), countPeriods()];
    expect((await client.get("/api/session", { mayRenew: true })).body.authenticated).toBe(true);
    const after = await lastUse();
    // The use is written when the period ends, which may be just now.
    expect(after === before || countPeriods() > period).toBe(true);
    await waitUntil("the period is over", async () => (await lastUse()) > before + 40, 60_000);
    expect((await lastUse()) % 7.5).toBe(0);
    expect((await client.get("/api/session")).body.authenticated).toBe(true);
  });
});
