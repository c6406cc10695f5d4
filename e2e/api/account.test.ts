import { describe, expect, test } from "vitest";
import type { Reply } from "#e2e/support/client.ts";
import { buildForm, createJpeg, createPng } from "#e2e/support/evidence.ts";
import { generateCode, insertSecondFactor } from "#e2e/support/second-factor.ts";
import { waitForMails } from "#e2e/support/outbox.ts";
import { shareService } from "#e2e/support/service.ts";
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
  USER,
  checkUuid,
  checkBoolean,
} from "#e2e/support/shapes.ts";
import {
  UNKNOWN_ID,
  countOutcomes,
  summarizeResponse,
  runConcurrently,
} from "#e2e/support/concurrent-requests.ts";
import { listStoredFiles } from "#e2e/support/stored-files.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, TestWorld, type TestPerson } from "#e2e/support/world.ts";

/** One's own account: profile, password, events, sessions, picture, export and end (contract 4.9). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const { event, otherEvent, organization, foreignEvent, maya, omar, nora, sam, nobody } = world;

const ME = "/api/users/me";
const NEW_PASSWORD = "seven small lanterns";
const login = (email: string, password: string) =>
  heed.visitor().post("/api/auth/login", { email, password });
const userRow = async ({ id }: TestPerson) => (await heed.sql("select * from users where id = $1", [id]))[0];
const ACCOUNT = checkRecord({
  user: USER,
  locale: checkNullable(checkText),
  emailVerified: checkBoolean,
  timeZone: checkNullable(checkText),
  singleKeys: checkBoolean,
  secondFactor: checkRecord({
    enabled: checkBoolean,
    since: checkNullable(checkTime),
    recoveryCodesLeft: checkCount,
    requiredBy: checkList(PLACE),
  }),
  emailChange: checkNullable(checkRecord({ newEmail: checkText, expiresAt: checkTime })),
  createdAt: checkTime,
});

const isStored = (avatarKey: string) =>
  listStoredFiles(heed.dataDir).some((file) => file.endsWith(avatarKey));
const waitForRemoval = (avatarKey: string) => waitUntil("the picture is removed", () => !isStored(avatarKey));

/** The token of the link in the newest mail to an address. */
async function confirmToken(address: string, mails = 1): Promise<string> {
  const links = (await waitForMails(heed, address, mails)).flatMap((mail) => mail.links);
  const link = links.findLast((one) => one.includes("/confirm-email?token="));
  return new URL(link ?? "http://missing/?token=").searchParams.get("token") ?? "";
}

describe("the profile", () => {
  test("is shown to its owner", async () => {
    const reply = await world.as(maya).get(ME);
    expect(reply.status).toBe(200);
    expectShape(reply.body, { account: ACCOUNT });
    expect(reply.body.account).toMatchObject({
      user: { id: maya.id, email: maya.email, name: maya.name, avatarUrl: null },
      secondFactor: { enabled: false, since: null, recoveryCodesLeft: 0, requiredBy: [] },
      emailChange: null,
    });
  });

  // lib/accounts/schema.test.ts has what is refused.
  test("takes another name and a time zone at once, and nothing else", async () => {
    const person = await world.person("Old Name");
    const change = { name: "  New Name ", timeZone: "tokyo", systemAdmin: true, id: UNKNOWN_ID };
    const reply = await world.as(person).patch(`${ME}/profile`, change);
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { message: checkText, account: ACCOUNT });
    expect(reply.body.account).toMatchObject({ user: { name: "New Name" }, timeZone: "Asia/Tokyo" });
    expect(await userRow(person)).toMatchObject({ id: person.id, system_admin: false });
    const cleared = await world.as(person).patch(`${ME}/profile`, { timeZone: "" });
    expect(cleared.body.account.timeZone).toBeNull();
    expect((await world.as(person).get("/api/session")).body.user.name).toBe("New Name");
  });
});

describe("another e-mail address", () => {
  const ask = (person: TestPerson, email: string, currentPassword: unknown = PASSWORD) =>
    world.as(person).patch(`${ME}/profile`, { email, currentPassword });

  test("waits until it is confirmed from the new address, and the current address gets a notice", async () => {
    const person = await world.person("Moving Person");
    const email = `${generateUniqueWord()}@example.org`;
    const reply = await ask(person, ` ${email.toUpperCase()} `);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body.account).toMatchObject({
      user: { email: person.email },
      emailChange: { newEmail: email },
    });
    const [notice] = await waitForMails(heed, person.email);
    expect(notice?.subject).toBe("A new email address for your account");
    expect(notice?.text).not.toContain("confirm-email");
    const token = await confirmToken(email);
    expect((await login(email, PASSWORD)).status).toBe(401);
    expect((await world.as(person).post("/api/auth/confirm-email", { token })).status).toBe(200);
    expect((await login(email, PASSWORD)).status).toBe(200);
    expect((await login(person.email, PASSWORD)).status).toBe(401);
    expect((await waitForMails(heed, person.email, 2)).map(({ subject }) => subject)).toContain(
      "Your email address was changed",
    );
    const again = await nobody.post("/api/auth/confirm-email", { token });
    expect([again.status, again.body.code]).toEqual([400, "CONFIRM_TOKEN_INVALID"]);
  });

  test("isn't confirmed by somebody who reads its mail but has no access to the account", async () => {
    const stranger = await world.person("Moving Onto You");
    const email = `${generateUniqueWord()}@example.org`;
    await ask(stranger, email);
    const token = await confirmToken(email);
    for (const client of [nobody, world.as(maya)])
      for (const password of [undefined, "another password"]) {
        const reply = await client.post("/api/auth/confirm-email", { token, password });
        expect(summarizeResponse(reply)).toEqual([400, "VALIDATION_ERROR"]);
      }
    expect((await userRow(stranger))?.email).toBe(stranger.email);
    expect((await nobody.post("/api/auth/confirm-email", { token, password: PASSWORD })).status).toBe(200);
    expect((await userRow(stranger))?.email).toBe(email);
  });

  test("requires the password, and is refused if it has an account", async () => {
    const person = await world.person("Careful Person");
    for (const password of [undefined, "wrong", ""]) {
      const reply = await ask(person, `${generateUniqueWord()}@example.org`, password ?? null);
      expect(summarizeResponse(reply)).toEqual([400, "VALIDATION_ERROR"]);
      expect(reply.body.details).toMatch(/^currentPassword: /);
    }
    expect(summarizeResponse(await ask(person, maya.email))).toEqual([409, "EMAIL_TAKEN"]);
    expect(await heed.rows("email_changes", "user_id = $1", [person.id])).toBe(0);
  });

  test.each<[string, (person: TestPerson) => Promise<Reply>]>([
    [
      "sending the current address",
      (person) => world.as(person).patch(`${ME}/profile`, { email: person.email }),
    ],
    [
      "a change of the password",
      (person) =>
        world.as(person).patch(`${ME}/password`, { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
    ],
    [
      "a reset of the password",
      async (person) => {
        const token = generateUniqueWord();
        await heed.sql(
          "insert into password_resets (user_id, token_hash, expires_at) values ($1, sha256($2::bytea), now() + interval '1 hour')",
          [person.id, token],
        );
        return nobody.post("/api/auth/reset-password", { token, newPassword: NEW_PASSWORD });
      },
    ],
  ])("is cancelled by %s", async (_, cancel) => {
    const person = await world.person("Undecided Person");
    const email = `${generateUniqueWord()}@example.org`;
    await ask(person, email);
    const token = await confirmToken(email);
    const reply = await cancel(person);
    expect(reply.status, reply.text).toBe(200);
    const confirmed = await nobody.post("/api/auth/confirm-email", { token });
    expect(summarizeResponse(confirmed)).toEqual([400, "CONFIRM_TOKEN_INVALID"]);
    expect((await userRow(person))?.email).toBe(person.email);
    expect(await heed.rows("email_changes", "user_id = $1", [person.id])).toBe(0);
  });

  test("invalidates reset links that were mailed to the previous address", async () => {
    const person = await world.person("Former Mailbox");
    const email = `${generateUniqueWord()}@example.org`;
    await ask(person, email);
    const token = await confirmToken(email);
    await heed.sql(
      "insert into password_resets (user_id, token_hash, expires_at) values ($1, sha256('kept'), now() + interval '1 hour')",
      [person.id],
    );
    expect((await world.as(person).post("/api/auth/confirm-email", { token })).status).toBe(200);
    expect((await nobody.get("/api/auth/validate-reset-token?token=kept")).body).toEqual({ valid: false });
  });
});

describe("the password", () => {
  test("can be changed with the current one; other sessions are revoked, and a mail is sent", async () => {
    const person = await world.person("Changing Person");
    const other = await world.device(person);
    const change = (currentPassword: string) =>
      world.as(person).patch(`${ME}/password`, { currentPassword, newPassword: NEW_PASSWORD });
    for (const wrong of ["wrong", " a quiet river at dawn"]) {
      const refused = await change(wrong);
      expect([refused.status, refused.body.details]).toEqual([400, "currentPassword: is wrong"]);
    }
    expect((await other.get(ME)).status).toBe(200);
    const reply = await change(PASSWORD);
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { message: checkText });
    expect((await other.get(ME)).status).toBe(401);
    expect((await world.as(person).get(ME)).status).toBe(200);
    expect((await login(person.email, PASSWORD)).status).toBe(401);
    expect((await login(person.email, NEW_PASSWORD)).status).toBe(200);
    expect((await waitForMails(heed, person.email))[0]?.subject).toBe("Your password was changed");
  });

  test("is set by one of two concurrent changes", async () => {
    const person = await world.person("Two Windows");
    const replies = await runConcurrently(2, (index) =>
      world.as(person).patch(`${ME}/password`, {
        currentPassword: PASSWORD,
        newPassword: `${NEW_PASSWORD} ${index}`,
      }),
    );
    expect(countOutcomes(replies)).toEqual({ "200": 1, "400 VALIDATION_ERROR": 1 });
    const won = replies.findIndex(({ status }) => status === 200);
    expect((await login(person.email, `${NEW_PASSWORD} ${won}`)).status).toBe(200);
  });
});

describe("one's events", () => {
  const EVENT = checkRecord({
    id: checkUuid,
    name: checkText,
    slug: checkText,
    organization: PLACE,
    startDate: checkNullable(checkTime),
    endDate: checkNullable(checkTime),
    isActive: checkBoolean,
    roles: checkList(checkExactly("Reporter", "Responder", "Admin")),
    joinDate: checkTime,
    needsSecondFactor: checkBoolean,
  });

  test("are listed with the roles, and nobody else's", async () => {
    const person = await world.person("Busy Person", {
      events: [
        [event, "Reporter", "Responder"],
        [foreignEvent, "Admin"],
      ],
    });
    const { body } = await world.as(person).get(`${ME}/events`);
    expectShape(body, { events: checkList(EVENT), pagination: PAGINATION });
    expect(
      body.events.map(({ id, roles }: { id: string; roles: string[] }) => [id, roles.toSorted()]),
    ).toEqual([
      [foreignEvent.id, ["Admin"]],
      [event.id, ["Reporter", "Responder"]],
    ]);
    const second = await world.as(person).get(`${ME}/events?limit=1&page=2`);
    expect(second.body.events.map(({ id }: { id: string }) => id)).toEqual([event.id]);
    expect(second.body.pagination).toEqual({ page: 2, limit: 1, total: 2, totalPages: 2 });
    const found = await world.as(person).get(`${ME}/events?search=HILLTOP`);
    expect(found.body.events.map(({ id }: { id: string }) => id)).toEqual([foreignEvent.id]);
    expect((await world.as(nora).get(`${ME}/events`)).body.events).toEqual([]);
  });

  test("can be left with all of one's roles there and no others", async () => {
    const person = await world.person("Leaving Person", {
      events: [
        [event, "Reporter", "Responder"],
        [otherEvent, "Reporter"],
      ],
    });
    const filed = await world.report(person, event);
    expect((await world.as(person).delete(`${ME}/events/${event.id}`)).status).toBe(204);
    const left = await heed.sql("select event_id from event_roles where user_id = $1", [person.id]);
    expect(left).toEqual([{ event_id: otherEvent.id }]);
    expect((await world.as(person).get(`/api/events/${event.id}/incidents`)).status).toBe(403);
    expect(await heed.rows("incidents", "id = $1 and reporter_id = $2", [filed.id, person.id])).toBe(1);
    // One that was left is like one of others and one that isn't there.
    const absent = await world.as(person).delete(`${ME}/events/${UNKNOWN_ID}`);
    expect(summarizeResponse(absent)).toEqual([404, "NOT_FOUND"]);
    for (const { id } of [event, foreignEvent])
      expect((await world.as(person).delete(`${ME}/events/${id}`)).body).toEqual(absent.body);
  });

  test("keep their last Admin, except a SystemAdmin", async () => {
    const own = await world.newEvent(organization);
    const admin = await world.person("Last Admin", { events: [[own, "Admin", "Reporter"]] });
    expect(summarizeResponse(await world.as(admin).delete(`${ME}/events/${own.id}`))).toEqual([
      409,
      "LAST_ADMIN",
    ]);
    expect(await heed.rows("event_roles", "event_id = $1", [own.id])).toBe(2);
    const operator = await world.person("Operator", { systemAdmin: true, events: [[own, "Admin"]] });
    expect((await world.as(admin).delete(`${ME}/events/${own.id}`)).status).toBe(204);
    expect((await world.as(operator).delete(`${ME}/events/${own.id}`)).status).toBe(204);
  });

  test("keep one of two Admins who leave concurrently", async () => {
    for (const _ of [1, 2, 3]) {
      const own = await world.newEvent(organization);
      const admins = [
        await world.person("First Admin", { events: [[own, "Admin"]] }),
        await world.person("Second Admin", { events: [[own, "Admin"]] }),
      ];
      const replies = await runConcurrently(2, (index) =>
        world.as(admins[index] as TestPerson).delete(`${ME}/events/${own.id}`),
      );
      expect(countOutcomes(replies)).toEqual({ "204": 1, "409 LAST_ADMIN": 1 });
      expect(await heed.rows("event_roles", "event_id = $1 and role_name = 'Admin'", [own.id])).toBe(1);
    }
  });
});

describe("one's sessions", () => {
  const SESSION = checkRecord({
    id: checkUuid,
    device: checkText,
    createdAt: checkTime,
    lastUsedAt: checkTime,
    expiresAt: checkTime,
    current: checkBoolean,
  });

  test("are listed with their devices, and no key to them", async () => {
    const person = await world.person("Two Devices");
    await heed.visitor().post(
      "/api/auth/login",
      { email: person.email, password: PASSWORD },
      {
        headers: { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0" },
      },
    );
    const { body, text: sent } = await world.as(person).get(`${ME}/sessions`);
    expectShape(body, { sessions: checkList(SESSION), pagination: PAGINATION });
    const devices = body.sessions.map((one: any) => [one.device, one.current]).sort();
    expect(devices).toEqual([
      ["An unknown device", true],
      ["Firefox on Linux", false],
    ]);
    expect(sent).not.toMatch(/token|hash/i);
    // One that has run out isn't listed.
    const idle = body.sessions.find(({ current }: { current: boolean }) => !current);
    await heed.sql("update sessions set last_used_at = now() - interval '3 hours' where id = $1", [idle.id]);
    expect((await world.as(person).get(`${ME}/sessions`)).body.sessions).toHaveLength(1);
  });

  test("of others are not found", async () => {
    const [foreign] = await heed.sql("select id from sessions where user_id = $1", [sam.id]);
    const reply = await world.as(maya).delete(`${ME}/sessions/${foreign?.id}`);
    expect(summarizeResponse(reply)).toEqual([404, "NOT_FOUND"]);
    expect(reply.body).toEqual((await world.as(maya).delete(`${ME}/sessions/${UNKNOWN_ID}`)).body);
    expect((await world.as(sam).get(ME)).status).toBe(200);
  });
});

describe("one's picture", () => {
  const upload = (person: TestPerson, bytes: Buffer, field = "avatar", type = "image/png") =>
    world.as(person).post(`${ME}/avatar`, buildForm({}, { field, name: "me.png", bytes, type }));
  const show = (id: string, as: TestPerson = nora, headers = {}) =>
    world.as(as).get(`/api/users/${id}/avatar`, { headers });

  test("is re-encoded, shown to signed-in people, replaced and removed", async () => {
    const person = await world.person("Pictured Person");
    const reply = await upload(person, await createPng());
    expect(reply.status, reply.text).toBe(200);
    expectShape(reply.body, { message: checkText, user: USER });
    const { pathname, search } = new URL(reply.body.user.avatarUrl);
    const shown = await world.as(nora).get(pathname + search);
    expect([shown.status, shown.headers["content-type"]]).toEqual([200, "image/webp"]);
    expect(shown.headers["cache-control"]).toBe("private, max-age=300");
    expect(summarizeResponse(await nobody.get(pathname))).toEqual([401, "UNAUTHENTICATED"]);
    const again = await show(person.id, nora, { "if-none-match": shown.headers.etag });
    expect(again.status).toBe(304);
    const before = (await userRow(person))?.avatar_key;
    expect(isStored(before)).toBe(true);
    expect((await upload(person, await createJpeg())).body.user.avatarUrl).not.toBe(
      reply.body.user.avatarUrl,
    );
    expect((await world.as(person).delete(`${ME}/avatar`)).status).toBe(204);
    expect((await world.as(person).get(ME)).body.account.user.avatarUrl).toBeNull();
    const none = await show(person.id);
    expect(summarizeResponse(none)).toEqual([404, "NOT_FOUND"]);
    for (const id of [UNKNOWN_ID, "x"]) expect((await show(id)).body).toEqual(none.body);
    await waitForRemoval(before);
  });

  test("is an image by its content", async () => {
    const before = await userRow(maya);
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    expect(summarizeResponse(await upload(maya, svg))).toEqual([415, "UNSUPPORTED_FILE_TYPE"]);
    expect(summarizeResponse(await upload(maya, Buffer.alloc(2 * 1024 * 1024 + 1)))).toEqual([
      413,
      "PAYLOAD_TOO_LARGE",
    ]);
    expect(summarizeResponse(await upload(maya, await createPng(), "logo"))).toEqual([
      400,
      "VALIDATION_ERROR",
    ]);
    expect(await userRow(maya)).toEqual(before);
  });
});

describe("the export of one's data", () => {
  test("holds one's own data, and nothing that the person may not see", async () => {
    const reporter = await world.person("Export Reporter", { events: [[event, "Reporter"]] });
    const body = buildForm(
      { title: "The title of mine", description: "What I wrote." },
      { name: "mine.png", bytes: await createPng() },
    );
    const { incident } = (await world.as(reporter).post(`/api/events/${event.id}/incidents`, body)).body;
    const comments = `/api/events/${event.id}/incidents/${incident.id}/comments`;
    await world.as(omar).post(comments, { body: "INTERNAL-MARKER", visibility: "internal" });
    await world.as(omar).post(comments, { body: "Dear reporter", visibility: "public" });
    await world.as(reporter).post(comments, { body: "Dear team", visibility: "public" });
    await world.move({ ...incident, eventId: event.id }, "investigating", { notes: "NOTE-MARKER" });
    const reply = await world.as(reporter).get(`${ME}/export`);
    expect(reply.status, reply.text).toBe(200);
    expect(reply.headers["content-disposition"]).toMatch(
      /^attachment; filename="heed-account-[\d-]+\.json"$/,
    );
    const data = reply.body;
    expect(data.account.user).toMatchObject({ id: reporter.id, email: reporter.email });
    expect(data.events).toMatchObject([{ roleName: "Reporter", event: { id: event.id } }]);
    expect(data.reports).toHaveLength(1);
    expect(data.reports[0]).toMatchObject({
      id: incident.id,
      title: "The title of mine",
      description: "What I wrote.",
      state: "investigating",
      messages: [
        { from: "team", body: "Dear reporter" },
        { from: "you", body: "Dear team" },
      ],
      files: [{ filename: "mine.png", mimetype: "image/png" }],
    });
    expect(data.sessions).toHaveLength(1);
    expect(reply.text).not.toMatch(/INTERNAL-MARKER|NOTE-MARKER|hash|Omar|omar/);
  });

  test("holds the outcome of a report only for those who may still see it", async () => {
    const person = await world.person("Former Reporter", { events: [[event, "Reporter"]] });
    const filed = await world.report(person, event, { title: "Words of my own" });
    const comments = `/api/events/${event.id}/incidents/${filed.id}/comments`;
    await world.as(person).post(comments, { body: "My message", visibility: "public" });
    await world.revoke(person, event);
    await world.as(omar).post(comments, { body: "LATER-MARKER", visibility: "public" });
    const { body, text: sent } = await world.as(person).get(`${ME}/export`);
    expect(body.reports).toMatchObject([{ title: "Words of my own", messages: [{ body: "My message" }] }]);
    expect(body.reports[0]).not.toHaveProperty("state");
    expect(sent).not.toContain("LATER-MARKER");
  });

  test("holds one's own notes and tokens without their secret, and is complete at any size", async () => {
    const person = await world.person("Long Writer", { events: [[event, "Responder"]] });
    const filed = await world.report(maya, event, { title: "MAYAS-TITLE here" });
    const comments = `/api/events/${event.id}/incidents/${filed.id}/comments`;
    await world.as(person).post(comments, { body: "A note of mine", visibility: "internal" });
    await heed.sql(
      `insert into team_notes (incident_id, author_id, body)
       select $1, $2, 'note ' || n from generate_series(1, 450) n`,
      [filed.id, person.id],
    );
    await heed.sql(
      `with filed as (
         insert into incidents (event_id, title, description, reporter_id, resolution)
         select $1, 'Report number ' || n, 'It went on for a while.', $2, 'INTERNAL-MARKER'
         from generate_series(1, 410) n returning id
       ), pinned as (
         insert into pins (user_id, incident_id, event_id) select $2, id, $1 from filed
       )
       insert into notifications (user_id, kind, event_id, deduplication_id) select $2, 'role.changed', $1, 'event ' || id from filed`,
      [event.id, person.id],
    );
    const { token } = (
      await world
        .as(person)
        .post(`${ME}/tokens`, { name: "Reader", scope: "read", currentPassword: PASSWORD })
    ).body;
    const { body, text: sent } = await world.as(person).get(`${ME}/export`);
    // In many batches, whose rows have the same time.
    for (const [list, length] of [
      [body.notes, 451],
      [body.reports, 410],
      [body.pins, 410],
      [body.notifications.filter(({ kind }: { kind: string }) => kind === "role.changed"), 410],
    ]) {
      expect(list).toHaveLength(length);
      expect(new Set(list.map(({ id }: { id: string }) => id)).size).toBe(length);
    }
    expect(body.tokens).toMatchObject([{ name: "Reader", scope: "read" }]);
    expect(sent).not.toContain(token);
    expect(sent).not.toMatch(/MAYAS-TITLE|INTERNAL-MARKER/);
  });
});

describe("deleting one's account", () => {
  const end = (person: TestPerson, proof: object = { currentPassword: PASSWORD }) =>
    world.as(person).delete(ME, proof, { mayWrite: true });

  test("leaves the reports without the name, and nothing else", async () => {
    const person = await world.person("Going Person", {
      organization: [organization, "org_viewer"],
      events: [[event, "Reporter", "Responder"]],
    });
    const filed = await world.report(person, event);
    await heed.sql("update incidents set assigned_responder_id = $2 where id = $1", [filed.id, person.id]);
    const comments = `/api/events/${event.id}/incidents/${filed.id}/comments`;
    await world.as(person).post(comments, { body: "A word", visibility: "public" });
    await world
      .as(person)
      .post(`${ME}/avatar`, buildForm({}, { field: "avatar", name: "a.png", bytes: await createPng() }));
    const avatar = (await userRow(person))?.avatar_key;
    expect(isStored(avatar)).toBe(true);
    await world.as(person).post(`${ME}/tokens`, { name: "T", scope: "read", currentPassword: PASSWORD });
    const reply = await end(person);
    expect(reply.status, reply.text).toBe(200);
    expect((await world.as(person).get(ME)).status).toBe(401);
    expect((await login(person.email, PASSWORD)).status).toBe(401);
    expect(await heed.rows("users", "id = $1", [person.id])).toBe(0);
    const [left] = await heed.sql(
      `select reporter_id, assigned_responder_id,
        (select author_id from messages where conversation_id = i.id) as author, title
       from incidents i where id = $1`,
      [filed.id],
    );
    expect(left).toEqual({
      reporter_id: null,
      assigned_responder_id: null,
      author: null,
      title: filed.title,
    });
    for (const table of ["event_roles", "organization_members", "sessions", "api_tokens"])
      expect(await heed.rows(table, "user_id = $1", [person.id]), table).toBe(0);
    const shown = await world.as(omar).get(`/api/events/${event.id}/incidents/${filed.id}`);
    expect(shown.body.incident.reporter).toBeNull();
    expect(shown.text).not.toContain(person.email);
    expect(await heed.rows("audit_entries", "action = 'account.delete' and actor_id = $1", [person.id])).toBe(
      1,
    );
    expect(
      await heed.rows("audit_entries", "action = 'account.leave' and chain = $1 and object_id = $2", [
        organization.id,
        person.id,
      ]),
    ).toBe(1);
    const mails = await waitForMails(heed, person.email, 2);
    expect(mails.map(({ subject }) => subject).toSorted()).toEqual([
      "An API token was created",
      "Your account was deleted",
    ]);
    await waitForRemoval(avatar);
  });

  test("requires the password, and a code if there is a second factor", async () => {
    const person = await world.person("Careful Leaver");
    for (const proof of [{}, { currentPassword: "wrong" }, { currentPassword: null }])
      expect(summarizeResponse(await end(person, proof))).toEqual([400, "VALIDATION_ERROR"]);
    const secret = await insertSecondFactor(world, person);
    const missing = await end(person);
    expect([missing.status, missing.body.details]).toEqual([400, "code: is missing"]);
    expect(await heed.rows("users", "id = $1", [person.id])).toBe(1);
    expect((await end(person, { currentPassword: PASSWORD, code: generateCode(secret) })).status).toBe(200);
  });

  test("is refused to the last admin anywhere, and says where", async () => {
    const place = await world.newOrganization("Lonely Guild");
    const own = await world.newEvent(place, "Lonely Congress");
    const person = await world.person("Lonely Admin", {
      organization: [place, "org_admin"],
      events: [[own, "Admin"]],
    });
    const reply = await end(person);
    expect(summarizeResponse(reply)).toEqual([409, "LAST_ADMIN"]);
    expect(reply.body.details).toBe(
      "You're the last organization admin of Lonely Guild, Admin of Lonely Congress. Give each role to someone else first.",
    );
    const heir = await world.person("Heir", { organization: [place, "org_admin"], events: [[own, "Admin"]] });
    expect((await end(person)).status).toBe(200);
    expect(summarizeResponse(await end(heir))).toEqual([409, "LAST_ADMIN"]);
  });

  test("leaves one of two admins who delete their accounts concurrently", async () => {
    const place = await world.newOrganization("Pair Guild");
    const pair = [
      await world.person("One Of Two", { organization: [place, "org_admin"] }),
      await world.person("Two Of Two", { organization: [place, "org_admin"] }),
    ];
    const replies = await runConcurrently(2, (index) => end(pair[index] as TestPerson));
    expect(countOutcomes(replies)).toEqual({ "200": 1, "409 LAST_ADMIN": 1 });
    expect(await heed.rows("organization_members", "organization_id = $1", [place.id])).toBe(1);
  });

  test("is refused to the last SystemAdmin", async () => {
    await heed.sql("update users set system_admin = false where id <> $1", [sam.id]);
    const reply = await end(sam);
    expect(summarizeResponse(reply)).toEqual([409, "LAST_ADMIN"]);
    expect(reply.body.details).toContain("the last system administrator");
    expect((await world.as(sam).get(ME)).status).toBe(200);
  });
});
