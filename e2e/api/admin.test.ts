import net from "node:net";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sendRawRequest } from "#e2e/support/client.ts";
import { summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { waitForMails } from "#e2e/support/outbox.ts";
import { startService, type Service } from "#e2e/support/service.ts";
import {
  PLACE,
  checkCount,
  checkExactly,
  expectShape,
  checkList,
  checkNullable,
  PAGINATION,
  checkRecord,
  checkText,
  checkTime,
  checkUrl,
  checkUuid,
  checkBoolean,
} from "#e2e/support/shapes.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { PASSWORD, TestWorld, type TestPerson } from "#e2e/support/world.ts";
import { VERSION as SERVICE_VERSION } from "#lib/version.ts";

/** System administration (contract 12). Who may call it is in the table of routes, what is refused in the schemas. */

const heed = await startService();
const world = await TestWorld.build(heed);
const { ada, event, foreignEvent, foreignOrganization, maya, nora, olga, omar, organization, sam } = world;

const ACCOUNT = {
  id: checkUuid,
  email: checkText,
  name: checkText,
  avatarUrl: checkNullable(checkUrl),
  systemAdmin: checkBoolean,
  disabledAt: checkNullable(checkTime),
  createdAt: checkTime,
  lastActiveAt: checkNullable(checkTime),
  organizations: checkCount,
  events: checkCount,
};

const change = (by: TestPerson, person: TestPerson, body: Record<string, unknown>) =>
  world.as(by).patch(`/api/admin/users/${person.id}`, body);
const users = async (query: string) => (await world.as(sam).get(`/api/admin/users?${query}`)).body;
const login = ({ email }: TestPerson) =>
  heed.visitor().post("/api/auth/login", { email, password: PASSWORD });
const enabledAdmins = () => heed.rows("users", "system_admin and disabled_at is null");
const newAdmin = () => world.person("Second Admin", { systemAdmin: true });

describe("the list of accounts", () => {
  test("has its shape, newest first, and counts organizations and events, not rows", async () => {
    const busy = await world.person("Busy Bee", {
      organization: [organization, "org_viewer"],
      events: [
        [event, "Reporter", "Responder"],
        [foreignEvent, "Reporter"],
      ],
    });
    const reply = await world.as(sam).get("/api/admin/users?limit=3");
    expect(reply.text).not.toMatch(/password|hash|token_|\$2b\$/i);
    const { users: list, pagination } = reply.body;
    expect((await users("limit=1&page=2")).users).toEqual([list[1]]);
    expectShape({ list, pagination }, { list: checkList(checkRecord(ACCOUNT)), pagination: PAGINATION });
    expect(list.map(({ id }: TestPerson) => id)[0]).toBe(busy.id);
    expect(list[0]).toMatchObject({ organizations: 1, events: 2, disabledAt: null, systemAdmin: false });
    expect(list[0].lastActiveAt).not.toBeNull();
    expect(pagination).toEqual({
      page: 1,
      limit: 3,
      total: await heed.rows("users"),
      totalPages: Math.ceil((await heed.rows("users")) / 3),
    });
  });

  test("is searched by name and address, literally", async () => {
    const odd = await world.person(`Odd ${generateUniqueWord()}`);
    await heed.sql("update users set name = 'Per% Cent_' where id = $1", [odd.id]);
    expect((await users("search=per%25%20cent_")).users).toMatchObject([{ id: odd.id }]);
    expect((await users(`search=${odd.email.slice(0, 20).toUpperCase()}`)).users).toMatchObject([
      { id: odd.id },
    ]);
    expect((await users("search=%25%25%25")).pagination.total).toBe(0);
  });

  test("is filtered by role and by state", async () => {
    const gone = await world.person("Gone Person");
    await change(sam, gone, { disabled: true });
    const disabled = await users("disabled=true&limit=100");
    expect(disabled.users.map(({ id }: TestPerson) => id)).toContain(gone.id);
    expect(disabled.users.every((user: any) => user.disabledAt !== null)).toBe(true);
    const admins = await users("systemAdmin=true");
    expect(admins.users.map(({ id }: TestPerson) => id)).toEqual([sam.id]);
    expect(admins.pagination.total).toBe(1);
    const others = await users("disabled=false&systemAdmin=false&limit=100");
    expect(others.users.map(({ id }: TestPerson) => id)).not.toContain(gone.id);
  });

  test.each([
    ["sort=name&order=asc", "name collate title_order, id"],
    ["sort=email&order=desc", "email desc"],
    ["order=asc", "created_at, id"],
  ])("%s sorts", async (query, order) => {
    const rows = await heed.sql(`select id from users order by ${order} limit 100`);
    const { users: list } = await users(`${query}&limit=100`);
    expect(list.map(({ id }: TestPerson) => id)).toEqual(rows.map(({ id }) => id));
  });
});

describe("one account", () => {
  test("shows what it belongs to and how it signs in", async () => {
    const person = await world.person("Many Hats", {
      organization: [organization, "org_admin"],
      events: [[event, "Reporter", "Admin"]],
    });
    await world.device(person);
    const shown = await world.as(sam).get(`/api/admin/users/${person.id}`);
    expect(shown.text).not.toMatch(/password|hash|token_|\$2b\$/i);
    const { user } = shown.body;
    expectShape(user, {
      ...ACCOUNT,
      sessions: checkCount,
      tokens: checkCount,
      secondFactor: checkBoolean,
      emailVerified: checkExactly(true),
      memberships: checkRecord({
        organizations: checkList(
          checkRecord({ id: checkUuid, name: checkText, slug: checkText, role: checkText }),
        ),
        events: checkList(
          checkRecord({ id: checkUuid, name: checkText, slug: checkText, roles: checkList(checkText) }),
        ),
      }),
    });
    expect(user).toMatchObject({ sessions: 2, tokens: 0, secondFactor: false, organizations: 1, events: 1 });
    expect(user.memberships).toEqual({
      organizations: [
        { id: organization.id, name: organization.name, slug: organization.slug, role: "org_admin" },
      ],
      events: [{ id: event.id, name: event.name, slug: event.slug, roles: ["Reporter", "Admin"] }],
    });
  });
});

describe("disabling an account", () => {
  test("ends every session, token and link of it at once; the form that is open gets 401", async () => {
    const person = await world.person("Leaving Person", { events: [[event, "Responder"]] });
    const devices = [world.as(person), await world.device(person), await world.device(person)];
    await heed.sql(
      `insert into api_tokens (user_id, name, token_hash, scope, expires_at)
       values ($1, 'script', sha256('x'), 'read', now() + interval '1 day')`,
      [person.id],
    );
    await heed.sql(
      "insert into password_resets (user_id, token_hash, expires_at) values ($1, sha256('y'), now() + interval '1 hour')",
      [person.id],
    );
    for (const device of devices) expect((await device.get("/api/users/me/pins")).status).toBe(200);

    const reply = await change(sam, person, { disabled: true });
    expect(reply.status).toBe(200);
    expect(reply.body.user).toMatchObject({ id: person.id, sessions: 0, tokens: 0 });
    expect(reply.body.user.disabledAt).not.toBeNull();
    for (const device of devices) {
      expect((await device.get("/api/users/me/pins")).status).toBe(401);
      const body = { title: "From a form that was open", description: "Sent too late." };
      expect((await device.post(`/api/events/${event.id}/incidents`, body)).status).toBe(401);
    }
    for (const table of ["sessions", "api_tokens", "password_resets"])
      expect(await heed.rows(table, "user_id = $1", [person.id])).toBe(0);
    expect(summarizeResponse(await login(person))).toEqual([401, "INVALID_CREDENTIALS"]);
  });

  test("twice keeps the date and is recorded once; a session that a concurrent sign-in opened stays invalid", async () => {
    const person = await world.person("Twice Person");
    const first = (await change(sam, person, { disabled: true })).body.user.disabledAt;
    expect((await change(sam, person, { disabled: true })).body.user.disabledAt).toBe(first);
    const entries = await heed.sql(
      "select chain, actor_id, by_right, data from audit_entries where action = 'user.change' and object_id = $1",
      [person.id],
    );
    const data = { userId: person.id, systemAdmin: false, disabled: true };
    expect(entries).toEqual([{ chain: "system", actor_id: sam.id, by_right: "SystemAdmin", data }]);
    const late = await world.device(person);
    expect((await late.get("/api/users/me/pins")).status).toBe(401);
    expect((await change(sam, person, { disabled: false })).body.user.disabledAt).toBeNull();
    expect((await late.get("/api/users/me/pins")).status).toBe(401);
    expect((await login(person)).status).toBe(200);
  });
});

describe("the system role", () => {
  test("is given and taken, and holds from the next request on", async () => {
    const person = await world.person("New Operator");
    expect((await world.as(person).get("/api/admin/stats")).status).toBe(403);
    await change(sam, person, { systemAdmin: true });
    expect((await world.as(person).get("/api/admin/stats")).status).toBe(200);
    await change(sam, person, { systemAdmin: false });
    expect((await world.as(person).get("/api/admin/stats")).status).toBe(403);
  });

  test("can't be taken from the last SystemAdmin, which a disabled one doesn't count for", async () => {
    const second = await newAdmin();
    await change(sam, second, { disabled: true });
    for (const body of [{ systemAdmin: false }, { disabled: true }])
      expect(summarizeResponse(await change(sam, sam, body))).toEqual([409, "LAST_ADMIN"]);
    expect(await enabledAdmins()).toBe(1);
    await change(sam, second, { systemAdmin: false });
  });

  test.each([
    [{ systemAdmin: false }, { systemAdmin: false }],
    [{ systemAdmin: false }, { disabled: true }],
  ])("two who do %j and %j to each other at once: one stays", async (mine, yours) => {
    for (let round = 0; round < 3; round += 1) {
      const second = await newAdmin();
      const replies = await Promise.all([change(sam, second, mine), change(second, sam, yours)]);
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
      const [refused] = replies.filter(({ status }) => status !== 200);
      // The second hears that the other is the last, unless its session was ended before it came in.
      expect(["LAST_ADMIN", "UNAUTHENTICATED", "FORBIDDEN"]).toContain(refused?.body.code);
      expect(await enabledAdmins()).toBe(1);
      await heed.sql("update users set system_admin = (id = $1), disabled_at = null where id in ($1, $2)", [
        sam.id,
        second.id,
      ]);
      await world.signIn(sam);
    }
  });
});

describe("the list of all events", () => {
  test("has its shape, with numbers of people, reports and bytes", async () => {
    for (const _ of [1, 2, 3]) await world.report(maya, event);
    const closing = await world.report(maya, event);
    await world.move(closing, "closed");
    await heed.sql(
      `insert into related_files (incident_id, event_id, filename, mimetype, size, original_size, sha256, storage_key)
       select $1, $2, 'talk.mp4', 'video/mp4', 2000000000, 500000000, '', gen_random_uuid() from generate_series(1, 2)`,
      [closing.id, event.id],
    );
    const { events, pagination } = (await world.as(sam).get("/api/admin/events")).body;
    expectShape(
      { events, pagination },
      {
        events: checkList(
          checkRecord({
            id: checkUuid,
            name: checkText,
            slug: checkText,
            isActive: checkBoolean,
            startDate: checkNullable(checkTime),
            endDate: checkNullable(checkTime),
            createdAt: checkTime,
            organization: PLACE,
            people: checkCount,
            incidents: checkRecord({ total: checkCount, open: checkCount }),
            bytes: checkCount,
          }),
        ),
        pagination: PAGINATION,
      },
    );
    expect(pagination.total).toBe(await heed.rows("events"));
    const [row] = await heed.sql(
      "select count(distinct user_id)::int as people from event_roles where event_id = $1",
      [event.id],
    );
    expect(events.find(({ id }: { id: string }) => id === event.id)).toMatchObject({
      incidents: { total: 4, open: 3 },
      bytes: 5_000_000_000,
      people: row?.people,
      organization: { id: organization.id, name: organization.name },
    });
    await heed.sql("delete from related_files where incident_id = $1", [closing.id]);
  });

  test("is filtered and searched", async () => {
    const ask = async (query: string) =>
      (await world.as(sam).get(`/api/admin/events?${query}`)).body.events.map(({ id }: { id: string }) => id);
    expect(await ask(`organizationId=${foreignOrganization.id}`)).toEqual([foreignEvent.id]);
    expect(await ask("search=HILLTOP%20congress")).toEqual([foreignEvent.id]);
    expect(await ask(`search=${foreignOrganization.slug}`)).toEqual([foreignEvent.id]);
    expect(await ask("search=%25")).toEqual([]);
    expect(await ask("organizationId=11111111-1111-4111-8111-111111111111")).toEqual([]);
    await heed.sql("update events set is_active = false where id = $1", [foreignEvent.id]);
    expect(await ask("isActive=false")).toEqual([foreignEvent.id]);
    await heed.sql("update events set is_active = true where id = $1", [foreignEvent.id]);
  });
});

const settings = async () => (await world.as(sam).get("/api/admin/settings")).body;
const set = (body: Record<string, unknown>) => world.as(sam).patch("/api/admin/settings", body);
const DEFAULTS = { registration: "open", name: "Heed", supportContact: null };
const VERSION = expect.stringMatching(/^[0-9a-f]{16}$/);
const page = async (path: string) => {
  const reply = await sendRawRequest(heed.url, { method: "GET", path, headers: {} });
  expect(reply.status).toBe(200);
  return reply.text.replace(/<!--.*?-->/g, "");
};

describe("settings", () => {
  afterEach(() => heed.sql("delete from system_settings"));

  test("are the defaults until somebody sets them, and again with null", async () => {
    expect(await settings()).toEqual({ ...DEFAULTS, defaults: DEFAULTS, version: VERSION });
    const given = { registration: "invite", name: "River desk", supportContact: "help@example.org" };
    expect((await set(given)).body).toMatchObject(given);
    expect(await settings()).toEqual({ ...given, defaults: DEFAULTS, version: VERSION });
    await set({ name: "Other name" });
    expect(await settings()).toMatchObject({ ...given, name: "Other name" });
    await set({ registration: null, name: " ", supportContact: null });
    expect(await settings()).toEqual({ ...DEFAULTS, defaults: DEFAULTS, version: VERSION });
    expect(await heed.rows("system_settings")).toBe(0);
  });

  test("leave an audit entry that names the fields, not their values, and are both stored where two change at once", async () => {
    const [{ headers }] = await Promise.all([
      set({ name: "Secret name", supportContact: "https://help.example.org/heed" }),
      set({ registration: "invite" }),
    ]);
    expect(await settings()).toMatchObject({ name: "Secret name", registration: "invite" });
    const [entry] = await heed.sql(
      "select actor_id, data from audit_entries where action = 'settings.change' and request_id = $1",
      [headers["x-request-id"]],
    );
    expect(entry?.actor_id).toBe(sam.id);
    expect(entry?.data.fields.toSorted()).toEqual(["name", "supportContact"]);
    expect(JSON.stringify(entry)).not.toMatch(/Secret name|help\.example/);
  });

  test("refuse a change whose If-Match names an older version", async () => {
    const seenAs = (version: string) => ({ headers: { "if-match": `"${version}"` } });
    const change = (name: string | null, version: string) =>
      world.as(sam).patch("/api/admin/settings", { name }, seenAs(version));
    const { version } = await settings();
    expect((await change("River desk", version)).status).toBe(200);
    expect(summarizeResponse(await change("Lake desk", version))).toEqual([409, "CONFLICT"]);
    expect(await settings()).toMatchObject({ name: "River desk" });
    expect((await change(null, (await settings()).version)).status).toBe(200);
    const both = await Promise.all([change("One", version), change("Two", version)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });
});

describe("registration by invite only", () => {
  beforeEach(() => set({ registration: "invite", supportContact: "help@example.org" }));
  afterEach(() => heed.sql("delete from system_settings"));
  const account = () => ({
    email: `${generateUniqueWord()}@example.org`,
    password: "seven small lanterns",
    name: "New",
  });

  test("refuses people without an invite, stores nothing, and is known to visitors", async () => {
    const before = await heed.rows("users");
    for (const body of [account(), { ...account(), email: maya.email }]) {
      const reply = await heed.visitor().post("/api/auth/register", body);
      expect([reply.status, reply.body.code]).toEqual([403, "REGISTRATION_CLOSED"]);
    }
    expect(await heed.rows("users")).toBe(before);
    expect((await world.nobody.get("/api/auth/setup")).body).toEqual({
      needsFirstAccount: false,
      registration: "invite",
      name: "Heed",
      supportContact: "help@example.org",
    });
  });

  test("accepts people with an invite", async () => {
    for (const [by, path] of [
      [olga, `/api/organizations/${organization.id}/invites`],
      [ada, `/api/events/${event.id}/invites`],
    ] as const) {
      const role = by === olga ? "org_viewer" : "Reporter";
      const { invite } = (await world.as(by).post(path, { role })).body;
      const reply = await heed.visitor().post(`/api/auth/register/invite/${invite.code}`, account());
      expect(reply.status, reply.text).toBe(201);
    }
  });

  test("still accepts the very first account", async () => {
    await heed.sql("delete from installation_metadata where key = 'firstAdministrator'");
    const reply = await heed.visitor().post("/api/auth/register", account());
    expect([reply.status, reply.body.madeSystemAdmin]).toEqual([201, true]);
    const again = await heed.visitor().post("/api/auth/register", account());
    expect([again.status, again.body.code]).toEqual([403, "REGISTRATION_CLOSED"]);
    await heed.sql("update users set system_admin = false where id = $1", [reply.body.user.id]);
  });

  test("is explained on the pages, with the support contact", async () => {
    const register = await page("/register");
    expect(register).toContain("You need an invite to create an account");
    expect(register).toContain('href="mailto:help@example.org"');
    expect(register).not.toContain('name="password"');
    const login = await page("/login");
    expect(login).toContain('href="mailto:help@example.org"');
    expect(login).not.toContain('href="/register');
    expect(await page("/")).toContain('href="mailto:help@example.org"');
    await heed.sql("delete from system_settings");
    expect(await page("/register")).toContain('name="password"');
    expect(await page("/login")).toContain('href="/register');
    expect(await page("/")).not.toContain("Need help?");
  });
});

describe("the foot of mails", () => {
  afterEach(() => heed.sql("delete from system_settings"));

  test("says who sent them and where to ask, and is not there while nothing is set", async () => {
    const person = await world.person("Forgetful Person");
    await heed.visitor().post("/api/auth/forgot-password", { email: person.email });
    const [plain] = await waitForMails(heed, person.email);
    expect(plain?.text).not.toContain("Sent by");
    await set({ name: "River & Sons", supportContact: "help@example.org" });
    await heed.visitor().post("/api/auth/forgot-password", { email: person.email });
    const [, signed] = await waitForMails(heed, person.email, 2);
    expect(signed?.text).toContain("\n-- \r\nSent by River & Sons. Questions? help@example.org");
    expect(signed?.text).toContain("<p>Sent by River &amp; Sons. Questions? help@example.org</p>");
  });
});

describe("statistics", () => {
  const perMonth = checkList(checkRecord({ month: checkText, count: checkCount }));

  test("have their shape, and count what there is", async () => {
    for (const _ of [1, 2]) await login(nora);
    await heed.sql("update users set created_at = now() - interval '13 months' where id = $1", [omar.id]);
    const { body } = await world.as(sam).get("/api/admin/stats");
    expectShape(body, {
      users: checkRecord({
        total: checkCount,
        disabled: checkCount,
        systemAdmins: checkCount,
        active: checkCount,
      }),
      organizations: checkCount,
      events: checkRecord({ total: checkCount, active: checkCount }),
      incidents: checkRecord({
        total: checkCount,
        submitted: checkCount,
        acknowledged: checkCount,
        investigating: checkCount,
        resolved: checkCount,
        closed: checkCount,
      }),
      files: checkRecord({ count: checkCount, bytes: checkCount }),
      signIns: checkCount,
      newPerMonth: checkRecord({
        users: perMonth,
        organizations: perMonth,
        events: perMonth,
        incidents: perMonth,
      }),
    });
    expect(body.users).toMatchObject({
      total: await heed.rows("users"),
      disabled: await heed.rows("users", "disabled_at is not null"),
      systemAdmins: 1,
    });
    expect(body.organizations).toBe(await heed.rows("organizations"));
    expect(body.incidents.total).toBe(await heed.rows("incidents"));
    expect(body.incidents.closed).toBe(await heed.rows("incidents", "state = 'closed'"));
    const signedIn = await heed.sql(
      "select count(*)::int as n, count(distinct actor_id)::int as people from audit_entries where action = 'account.signIn'",
    );
    expect(signedIn[0]?.n).toBeGreaterThan(signedIn[0]?.people);
    expect([body.signIns, body.users.active]).toEqual([signedIn[0]?.n, signedIn[0]?.people]);
    const months = body.newPerMonth.users.map(({ month }: { month: string }) => month);
    expect(months).toHaveLength(12);
    expect(months.at(-1)).toBe(new Date().toISOString().slice(0, 7));
    expect(months).toEqual(months.toSorted());
    const sum = body.newPerMonth.users.reduce((all: number, one: { count: number }) => all + one.count, 0);
    expect(sum).toBe((await heed.rows("users")) - 1);
  });
});

describe("the health of the installation", () => {
  test("has its shape, and no secret, path or address", async () => {
    const queue = {
      status: checkExactly("ok"),
      waiting: checkCount,
      oldestWaitingAt: checkNullable(checkTime),
      lag: checkCount,
      failed: checkCount,
      failedTries: checkCount,
      failingSince: checkNullable(checkTime),
    };
    const { body, text: responseText } = await world.as(sam).get("/api/admin/health");
    const database = new URL(process.env.DATABASE_URL ?? "");
    for (const secret of [heed.process.dataDir, database.pathname.slice(1), database.password, "postgres"])
      if (secret) expect(responseText).not.toContain(secret);
    expectShape(body, {
      status: checkExactly("ok", "failed"),
      version: checkExactly(SERVICE_VERSION),
      node: checkText,
      startedAt: checkTime,
      uptime: checkCount,
      database: checkRecord({
        status: checkExactly("ok"),
        version: checkText,
        milliseconds: (value, at) => expect(value, at).toBeGreaterThan(0),
        bytes: checkCount,
        migrations: checkRecord({ applied: checkCount, latest: checkText, unfinished: checkExactly(0) }),
      }),
      storage: checkRecord({
        status: checkExactly("ok"),
        kind: checkExactly("disk"),
        files: checkCount,
        bytes: checkCount,
        sweepRefusedAt: checkExactly(null),
      }),
      evidence: checkRecord({
        status: checkExactly("ok"),
        damaged: checkExactly(0),
        missing: checkExactly(0),
        unreadable: checkExactly(0),
        checkedAt: checkNullable(checkTime),
        checkLate: checkExactly(false),
        checking: checkNullable(checkCount),
        problems: checkList(checkRecord({})),
      }),
      mail: checkRecord({ configured: checkExactly(false), ...queue, undeliverable: checkExactly(0) }),
      jobs: checkRecord({
        status: checkExactly("ok"),
        workers: checkExactly(1),
        lastScheduledAt: checkNullable(checkTime),
        scheduleStopped: checkExactly(false),
        waiting: checkCount,
        failed: checkCount,
        queues: checkList(checkRecord({ queue: checkExactly("mail", "webhooks", "maintenance"), ...queue })),
      }),
      backup: checkRecord({ lastAt: checkExactly(null) }),
      audit: checkRecord({
        status: checkExactly("ok"),
        lastRecordedAt: checkNullable(checkTime),
        changedChains: checkExactly(0),
        destination: checkExactly(null),
        lastSentAt: checkExactly(null),
      }),
      disk: checkRecord({
        status: checkExactly("ok", "failed"),
        freeBytes: checkCount,
        totalBytes: checkCount,
      }),
      warnings: checkList(
        checkRecord({
          warning: checkExactly("localModeReachedFromElsewhere", "unknownProxy", "noMailServer"),
          seenAt: checkTime,
        }),
      ),
    });
    const [migrations] = await heed.sql("select count(*)::int as n from _prisma_migrations");
    expect(body.database.migrations.applied).toBe(migrations?.n);
    expect(body.database.version).toMatch(/^\d+/);
  });

  test("warns of a proxy that isn't trusted, without its address", async () => {
    await heed.visitor().get("/api/health", { headers: { "x-forwarded-for": "198.51.100.7" } });
    const health = () => world.as(sam).get("/api/admin/health");
    await expect
      .poll(async () => (await health()).body.warnings, { timeout: 20_000 })
      .toEqual([{ warning: "unknownProxy", seenAt: expect.stringMatching(/Z$/) }]);
    expect((await health()).text).not.toContain("198.51.100.7");
  });

  test("reports waiting mails and those that were given up", async () => {
    const old = (attempts: number) =>
      heed.sql(
        `update graphile_worker._private_jobs set attempts = $1, run_at = now() + interval '1 day',
           created_at = '2026-01-02T03:04:05Z' where key = $2`,
        [attempts, `test-${attempts}`],
      );
    for (const attempts of [0, 2, 5]) {
      await heed.sql(
        `select graphile_worker.add_job('mail.notice', '{}', max_attempts => 5, job_key => $1,
           run_at => now() + interval '1 day')`,
        [`test-${attempts}`],
      );
      await old(attempts);
    }
    // A mail of a test before may be on its way just now.
    await expect
      .poll(async () => (await world.as(sam).get("/api/admin/health")).body.mail, { timeout: 30_000 })
      .toMatchObject({ waiting: 1, oldestWaitingAt: "2026-01-02T03:04:05.000Z", failed: 1 });
    await heed.sql("delete from graphile_worker._private_jobs where key like 'test-%'");
  });

  test("says which part has failed", async () => {
    await heed.sql(
      `insert into _prisma_migrations (id, checksum, migration_name, started_at, applied_steps_count)
       values ('x', 'x', 'broken', now(), 0)`,
    );
    const { body } = await world.as(sam).get("/api/admin/health");
    expect([body.status, body.database.status, body.storage.status]).toEqual(["failed", "failed", "ok"]);
    await heed.sql("delete from _prisma_migrations where id = 'x'");
  });
});

/** A mail server that answers each command with what `answer` says. */
async function mailServer(answer: (line: string) => string | undefined) {
  const smtpLines: string[] = [];
  const server = net.createServer((socket) => {
    let body = false;
    socket.setEncoding("utf8").on("error", () => {});
    socket.write("220 test\r\n");
    socket.on("data", (chunk) => {
      for (const line of String(chunk).split("\r\n").filter(Boolean)) {
        smtpLines.push(line);
        if (body && line !== ".") continue;
        body = line === "DATA";
        socket.write(`${answer(line) ?? (body ? "354 go on" : "250 ok")}\r\n`);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { smtpLines, port, close };
}

describe("the test of the mail service", () => {
  test("writes to the outbox where there is no mail server, to one's own address", async () => {
    const reply = await world.as(sam).post("/api/admin/mail-test", {});
    expect(reply.status).toBe(200);
    expectShape(reply.body, {
      delivered: checkBoolean,
      outcome: checkText,
      message: checkText,
      milliseconds: checkCount,
    });
    expect(reply.body).toMatchObject({ delivered: false, outcome: "outbox" });
    const [mail] = await waitForMails(heed, sam.email);
    expect(mail?.subject).toBe("Test email");
    const [entry] = await heed.sql(
      "select actor_id, data from audit_entries where action = 'mail.test' and request_id = $1",
      [reply.headers["x-request-id"]],
    );
    expect(entry).toEqual({ actor_id: sam.id, data: { outcome: "outbox", toSelf: true } });
  });

  describe("with a mail server", () => {
    let answer: (line: string) => string | undefined = () => undefined;
    let server: Awaited<ReturnType<typeof mailServer>>;
    let smtp: Service;

    // Not before: it sends the mails of its database, and the tests above wait for them in the outbox.
    beforeAll(async () => {
      server = await mailServer((line) => answer(line));
      smtp = await startService({
        SMTP_URL: `smtp://someone:hush-hush@127.0.0.1:${server.port}`,
        RATE_LIMITS: "on",
      });
    });

    test("reports the mail server's kind of response, and not its text", async () => {
      const client = smtp.visitor(world.as(sam).cookie);
      const send = async () => (await client.post("/api/admin/mail-test", { to: "maya@example.org" })).body;
      const login = (line: string) => {
        if (line.startsWith("EHLO")) return "250-test\r\n250 AUTH PLAIN";
        return line.startsWith("AUTH") ? "235 welcome" : undefined;
      };
      // lib/admin/mail-test.test.ts has the others.
      const cases: [string, (line: string) => string | undefined][] = [
        ["delivered", login],
        ["login", (line) => (line.startsWith("AUTH") ? "535 hush-hush is wrong" : login(line))],
        ["recipient", (line) => (line.startsWith("RCPT") ? "550 no such maya" : login(line))],
        ["refused", (line) => (line === "." ? "554 spam from someone" : login(line))],
      ];
      for (const [outcome, behaviour] of cases) {
        answer = behaviour;
        const body = await send();
        expect([body.outcome, body.delivered]).toEqual([outcome, outcome === "delivered"]);
        expect(JSON.stringify(body)).not.toMatch(/maya|someone|hush|127\.0\.0\.1/);
      }
      expect(server.smtpLines.filter((line) => line.startsWith("RCPT"))).toContain(
        "RCPT TO:<maya@example.org>",
      );
      const { text: health } = await client.get("/api/admin/health");
      expect(JSON.parse(health).mail.configured).toBe(true);
      expect(health).not.toMatch(/hush|someone|127\.0\.0\.1/);
    });

    test("reports an unreachable mail server, and is limited to ten an hour for each person", async () => {
      await server.close();
      const [first, second] = [await newAdmin(), await newAdmin()];
      const client = smtp.visitor(world.as(first).cookie);
      for (let sent = 0; sent < 10; sent += 1)
        expect((await client.post("/api/admin/mail-test", {})).body).toMatchObject({
          delivered: false,
          outcome: "unreachable",
        });
      const reply = await client.post("/api/admin/mail-test", {});
      expect([reply.status, reply.body.code]).toEqual([429, "RATE_LIMITED"]);
      expect(Number(reply.headers["retry-after"])).toBeGreaterThan(60);
      const other = smtp.visitor(world.as(second).cookie);
      expect((await other.post("/api/admin/mail-test", {})).status).toBe(200);
      for (const person of [first, second]) await change(sam, person, { systemAdmin: false });
    });
  });
});
