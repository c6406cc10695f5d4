import en from "#lib/i18n/messages/en/index.ts";
import { describe, expect, test } from "vitest";
import { spawnProjectCommand } from "#e2e/support/command.ts";
import { buildForm } from "#e2e/support/evidence.ts";
import { EventStream } from "#e2e/support/event-stream.ts";
import { readMails, waitForMails, waitForResetToken, waitForVerificationToken } from "#e2e/support/outbox.ts";
import { MailServer } from "#e2e/support/mail-server.ts";
import { endWithFile } from "#e2e/support/file-end.ts";
import { startService } from "#e2e/support/service.ts";
import {
  countOutcomes,
  summarizeResponse,
  runConcurrently,
  expectRefusal,
} from "#e2e/support/concurrent-requests.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, TestWorld, type TestPerson, type RoleAssignments } from "#e2e/support/world.ts";

/** An address counts as unverified until its link was opened and its button pressed (contract 4.6, decision 032). */

const mailServer = await MailServer.start();
endWithFile(() => mailServer.close());
const receivedMails = () => mailServer.taken.map(({ text }) => text);

// With a mail server, addresses are verified in local mode, too, which hashes passwords at less cost.
const settings = { SMTP_URL: mailServer.url, RATE_LIMITS: "on", RATE_FORGOT_ACCOUNT_PER_HOUR: "2" };
const heed = { ...(await startService(settings)), receivedMails };
const world = await TestWorld.build(heed);
const { ada, event, maya, nobody, olga, omar, organization, sam } = world;

const ME = "/api/users/me";
const UNVERIFIED = [403, "EMAIL_UNVERIFIED"];
const SECRET_TITLE = "What only the team may read";
const report = await world.report(maya, event, { title: SECRET_TITLE });

/** Somebody with roles whose address isn't confirmed, signed in. */
async function unverified(name: string, roles: RoleAssignments = {}): Promise<TestPerson> {
  const person = await world.person(name, roles);
  await heed.sql("update users set email_verified_at = null where id = $1", [person.id]);
  return person;
}

const isVerified = async ({ id }: { id: string }) =>
  (await heed.rows("users", "id = $1 and email_verified_at is not null", [id])) === 1;

const account = () => ({
  email: `${generateUniqueWord()}@example.org`,
  password: PASSWORD,
  name: "Somebody New",
});

async function register(given = account()): Promise<TestPerson> {
  const reply = await nobody.post("/api/auth/register", given);
  expect(reply.status, reply.text).toBe(201);
  return reply.body.user;
}

/** A client that has signed in with the password. */
async function signedIn({ email }: { email: string }, password = PASSWORD) {
  const client = heed.visitor();
  const reply = await client.post("/api/auth/login", { email, password });
  expect(reply.status, reply.text).toBe(200);
  return client;
}

/** A link as the mail would carry it. */
async function plantedLink({ id, email }: TestPerson, expires = "1 hour"): Promise<string> {
  const token = `planted-${generateUniqueWord()}`;
  await heed.sql(
    `insert into email_verifications (user_id, email, token_hash, expires_at)
     values ($1, $2, sha256($3::bytea), now() + $4::interval)`,
    [id, email, token, expires],
  );
  return token;
}

const verify = (token: string, password?: string, client = nobody) =>
  client.post("/api/auth/verify-email", { token, password });

describe("registering", () => {
  test("mails a link, which confirms the address with its button, and once", async () => {
    const person = await register();
    const client = await signedIn(person);
    expect((await client.get("/api/session")).body.user.emailVerified).toBe(false);
    const token = await waitForVerificationToken(heed, person.email);
    const page = await nobody.get(`/verify-email?token=${token}`, { headers: { accept: "text/html" } });
    expect(page.status).toBe(200);
    expect(await isVerified(person)).toBe(false);
    const reply = await client.post("/api/auth/verify-email", { token });
    expect([reply.status, reply.body]).toEqual([200, { message: "Your email address is confirmed." }]);
    expect((await client.get("/api/session")).body.user.emailVerified).toBe(true);
    expect(await heed.rows("email_verifications", "user_id = $1", [person.id])).toBe(0);
    expectRefusal(await client.post("/api/auth/verify-email", { token }), "400 CONFIRM_TOKEN_INVALID");
    expect(
      await heed.rows("audit_entries", "action = 'account.verifyEmail' and actor_id = $1", [person.id]),
    ).toBe(1);
  });

  test("stores no token, and sends no link that works for another account", async () => {
    const [one, other] = [await register(), await register()];
    const token = await waitForVerificationToken(heed, one.email);
    const rows = await heed.sql("select encode(token_hash, 'escape') from email_verifications");
    expect(JSON.stringify(rows)).not.toContain(token);
    expect((await verify(token, undefined, await world.device(other))).status).toBe(400);
    expect([await isVerified(one), await isVerified(other)]).toEqual([false, false]);
  });

  test("with an invite doesn't confirm the address: the membership waits", async () => {
    const made = await world
      .as(olga)
      .post(`/api/organizations/${organization.id}/invites`, { role: "org_viewer" });
    const given = account();
    const reply = await nobody.post(`/api/auth/register/invite/${made.body.invite.code}`, given);
    expect(reply.status, reply.text).toBe(201);
    const client = await signedIn(given);
    expect(summarizeResponse(await client.get(`/api/organizations/${organization.id}`))).toEqual(UNVERIFIED);
    expect((await client.get("/api/organizations/me")).body.organizations).toEqual([]);
    const token = await waitForVerificationToken(heed, given.email);
    expect((await verify(token, undefined, client)).status).toBe(200);
    expect((await client.get(`/api/organizations/${organization.id}`)).status).toBe(200);
  });
});

describe("the link", () => {
  test("confirms nothing for somebody who reads the mail and isn't in the account", async () => {
    const victim = account();
    const person = await register(victim);
    const token = await waitForVerificationToken(heed, victim.email);
    for (const client of [nobody, world.as(maya)]) {
      const reply = await verify(token, undefined, client);
      expectRefusal(reply, "400 VALIDATION_ERROR");
      expect(reply.body.details).toMatch(/^password: is needed/);
      expectRefusal(await verify(token, "their own password", client), "400 VALIDATION_ERROR");
    }
    expect(await isVerified(person)).toBe(false);
    expect((await verify(token, PASSWORD)).status).toBe(200);
    expect(await isVerified(person)).toBe(true);
  });

  test.each(["-1 second", "1 hour"])(
    "is invalid once it has expired or was sent to another address (%s)",
    async (expires) => {
      const person = await unverified("Late Person");
      const moved = {
        ...person,
        email: expires.startsWith("-") ? person.email : `${generateUniqueWord()}@example.org`,
      };
      const token = await plantedLink(moved, expires);
      expectRefusal(await verify(token, PASSWORD), "400 CONFIRM_TOKEN_INVALID");
      expect(await isVerified(person)).toBe(false);
    },
  );

  test("is used once by ten at the same time", async () => {
    const person = await unverified("Ten Windows");
    const token = await plantedLink(person);
    const replies = await runConcurrently(10, () => verify(token, undefined, world.as(person)));
    expect(countOutcomes(replies)).toEqual({ "200": 1, "400 CONFIRM_TOKEN_INVALID": 9 });
  });

  test("ends other sessions, links and changes that wait", async () => {
    const person = await unverified("Cautious Person");
    const other = await world.device(person);
    await world
      .as(person)
      .patch(`${ME}/profile`, { email: `${generateUniqueWord()}@example.org`, currentPassword: PASSWORD });
    await heed.sql(
      "insert into password_resets (user_id, token_hash, expires_at) values ($1, sha256('verified'), now() + interval '1 hour')",
      [person.id],
    );
    expect((await verify(await plantedLink(person), undefined, world.as(person))).status).toBe(200);
    expect((await other.get(ME)).status).toBe(401);
    expect((await world.as(person).get(ME)).status).toBe(200);
    for (const table of ["email_changes", "password_resets"])
      expect(await heed.rows(table, "user_id = $1", [person.id])).toBe(0);
  });

  test("can be sent again, replaces the previous one, and is limited", async () => {
    const person = await register();
    const client = await world.device(person);
    const first = await waitForVerificationToken(heed, person.email);
    expect((await client.post(`${ME}/verify-email`)).status).toBe(200);
    expectRefusal(await client.post(`${ME}/verify-email`), "429 RATE_LIMITED");
    const last = await waitForVerificationToken(heed, person.email, 2);
    expectRefusal(await verify(first, PASSWORD), "400 CONFIRM_TOKEN_INVALID");
    expect((await verify(last, PASSWORD)).status).toBe(200);
    const again = await (await world.device(person)).post(`${ME}/verify-email`);
    expect(again.body.message).toBe("Your email address is already confirmed.");
  });

  test("isn't used up by registrations that fail", async () => {
    const person = await register();
    const taken = { ...account(), email: person.email };
    const free = account();
    for (let count = 1; count <= 3; count += 1) {
      expect((await nobody.post("/api/auth/register", taken)).status).toBe(409);
      expect((await nobody.post("/api/auth/register/invite/no-such-code", free)).status).toBe(404);
    }
    expect((await (await world.device(person)).post(`${ME}/verify-email`)).status).toBe(200);
    await register(free);
    expect(await waitForVerificationToken(heed, free.email)).toEqual(expect.any(String));
  });

  test("is limited for accounts that are created and deleted with one address", async () => {
    const given = account();
    for (let count = 1; count <= 3; count += 1) {
      const owner = await world.device(await register(given));
      expect((await owner.delete(ME, { password: PASSWORD })).status).toBe(200);
    }
    // Jobs of one queue run in order: what comes after these was mailed after them.
    const later = await register();
    await waitForMails(heed, later.email);
    expect(readMails(heed).filter(({ to }) => to === given.email).length).toBeLessThanOrEqual(2);
  });
});

describe("an account with an unverified address", () => {
  test("is marked wherever the team reads its report, as is a name that somebody on the team has", async () => {
    const spelled = omar.name.replace(" ", "\u00a0").toUpperCase();
    const person = await unverified(spelled, { events: [[event, "Reporter"]] });
    const own = await world.report(person, event, { title: "A report of an unverified namesake" });
    const files = buildForm({}, { name: "note.txt", bytes: "A note." });
    await world.as(person).post(`/api/events/${event.id}/incidents/${own.id}/related-files`, files);
    const path = `/api/events/slug/${event.slug}/incidents`;
    const reporter = { id: person.id, name: spelled, email: person.email, emailVerified: false };
    const [shown, listed] = [
      await world.as(omar).get(`${path}/${own.id}`),
      await world.as(omar).get(`${path}?reporter=${person.id}`),
    ];
    expect([shown.body.incident.reporter, listed.body.incidents[0].reporter]).toEqual([reporter, reporter]);
    const namesake = en.incident.reporterNamesake.replace("{name}", omar.name);
    const page = await world.as(omar).get(`/e/${event.slug}/i/${own.id}`);
    expect(page.text.split(en.incident.reporterUnconfirmed).length).toBeGreaterThan(3);
    expect(page.text).toContain(namesake);
    const inbox = await world.as(omar).get(`/e/${event.slug}/incidents?reporter=${person.id}`);
    expect(inbox.text).toContain(en.inbox.unconfirmedTitle);
    expect(inbox.text).toContain(en.inbox.namesake);
    const marked = `${spelled} · ${en.incident.reporterUnconfirmed}`;
    for (const text of [page.text, inbox.text]) expect(text).toContain(marked);
    const audit = await world.as(ada).get(`/api/events/slug/${event.slug}/audit?actor=${person.id}`);
    expect(audit.body.entries[0].actor).toEqual({ id: person.id, name: spelled, unconfirmed: true });
    await heed.sql("update users set email_verified_at = now() where id = $1", [person.id]);
    const confirmed = await world.as(omar).get(`/e/${event.slug}/i/${own.id}`);
    expect(confirmed.text).not.toContain(en.incident.reporterUnconfirmed);
  });

  test("reports though it holds roles of the team only, and acts on the report as its reporter", async () => {
    const person = await unverified("Waiting Person", { events: [[event, "Admin", "Responder"]] });
    const own = await world.report(person, event, { title: "A report of somebody on the way to the team" });
    const path = `/api/events/slug/${event.slug}/incidents`;
    const list = await world.as(person).get(path);
    expect(list.body.incidents.map(({ id }: { id: string }) => id)).toEqual([own.id]);
    const file = { name: "note.txt", bytes: "What I saw by the door." };
    const added = await world.as(person).post(`${path}/${own.id}/related-files`, buildForm({}, file));
    expect(added.status, added.text).toBe(201);
    const shown = await world.as(omar).get(`${path}/${own.id}/related-files`);
    expect(shown.body.relatedFiles[0]).toMatchObject({ visibleToReporter: true });
    const answer = { body: "From the team.", visibility: "public" };
    const message = await world.as(omar).post(`${path}/${own.id}/comments`, answer);
    const removal = await world.as(person).delete(`${path}/${own.id}/comments/${message.body.comment.id}`);
    expect(removal.status).toBe(403);
    const note = { body: "A note of the team.", visibility: "internal" };
    expect((await world.as(omar).post(`${path}/${own.id}/comments`, note)).status).toBe(201);
    expect((await world.as(person).get(`${path}/${own.id}/comments`)).text).not.toContain(note.body);
    const { roles } = (await world.as(person).get("/api/session")).body.user;
    expect(roles.events[0].roles.toSorted()).toEqual(["Admin", "Responder"]);
  });

  test("joins an event and reports there without an invite", async () => {
    const [open, other] = [await world.newEvent(organization), await world.newEvent(organization)];
    for (const event of [open, other]) await world.grant(world.ada, event, "Admin");
    const person = await unverified("Uninvited Person");
    const wanted = { title: "Shouting at the door", description: "It went on for a while." };
    const reply = await world.as(person).post(`/api/events/slug/${open.slug}/reports`, wanted);
    expect(reply.status, reply.text).toBe(201);
    const path = `/api/events/slug/${open.slug}/incidents/${reply.body.incident.id}`;
    expect((await world.as(person).get(path)).status).toBe(200);
    const joined = await world.as(person).post(`/api/events/slug/${other.slug}/join`);
    expect([joined.status, joined.body.roles]).toEqual([200, ["Reporter"]]);
  });

  test("doesn't count as one of the team before the event is announced, until it is verified", async () => {
    const made = await world.newEvent(organization);
    const [admin, person] = [await world.person("Only Admin"), await unverified("Unverified Responder")];
    await world.grant(admin, made, "Admin");
    await world.grant(person, made, "Responder");
    const hasTeam = async () => {
      const { goLive } = (await world.as(admin).get(`/api/events/slug/${made.slug}/go-live`)).body;
      return goLive.steps.find(({ step }: { step: string }) => step === "team").done;
    };
    expect(await hasTeam()).toBe(false);
    await heed.sql("update users set email_verified_at = now() where id = $1", [person.id]);
    expect(await hasTeam()).toBe(true);
  });

  const slug = `/api/events/slug/${event.slug}`;
  const one = `/incidents/${report.id}`;
  test.each<[string, string, object?]>([
    ["GET", `${slug}${one}`],
    ["PATCH", `${slug}${one}`, { severity: "high" }],
    ["GET", `/api/organizations/${organization.id}/reports/export?format=csv`],
    ["POST", `${ME}/second-factor`, { password: PASSWORD }],
    ["POST", `${ME}/tokens`, { name: "mine", scope: "write" }],
  ])("may not %s %s, whatever roles it holds", async (method, path, body) => {
    const person = await unverified("Every Role", {
      systemAdmin: true,
      organization: [organization, "org_admin"],
      events: [[event, "Admin", "Responder"]],
    });
    for (const systemAdmin of [true, false]) {
      await heed.sql("update users set system_admin = $2 where id = $1", [person.id, systemAdmin]);
      const reply = await world.as(person).send(method, path, body);
      expect(summarizeResponse(reply)).toEqual(UNVERIFIED);
      expect(reply.text).not.toContain(SECRET_TITLE);
    }
  });

  test("finds none of its team's incidents in lists", async () => {
    const roles: RoleAssignments = { organization: [organization, "org_admin"], events: [[event, "Admin"]] };
    for (const systemAdmin of [true, false]) {
      const person = await unverified("Listing Person", { ...roles, systemAdmin });
      await heed.sql("insert into pins (user_id, incident_id, event_id) values ($1, $2, $3)", [
        person.id,
        report.id,
        event.id,
      ]);
      await heed.sql(
        `insert into notifications (user_id, kind, organization_id, event_id, incident_id, deduplication_id)
         values ($1, 'incident.created', $2, $3, $4, $5)`,
        [person.id, organization.id, event.id, report.id, generateUniqueWord()],
      );
      for (const path of [
        "incidents",
        `incidents?event=${event.id}`,
        `jump?search=${encodeURIComponent(SECRET_TITLE)}`,
        "notifications",
        "export",
      ]) {
        const reply = await world.as(person).get(`${ME}/${path}`);
        expect(reply.text, path).not.toContain(SECRET_TITLE);
        expect(path === "export" || !reply.text.includes(report.id), path).toBe(true);
      }
      expect((await world.as(person).get("/api/organizations/me")).body.organizations).toEqual([]);
      const { roles: held } = (await world.as(person).get("/api/session")).body.user;
      expect(held.organizations).toHaveLength(1);
      expect(held.system).toEqual(systemAdmin ? ["SystemAdmin"] : []);
    }
  });

  test("gets no events on a live stream, and the same access with an older API token", async () => {
    const person = await unverified("Listening Person", {
      systemAdmin: true,
      events: [[event, "Responder"]],
    });
    const token = `heed_${"a".repeat(43 - 8)}${generateUniqueWord().slice(0, 8)}`.slice(0, 48);
    await heed.sql(
      `insert into api_tokens (user_id, name, token_hash, scope, event_id, expires_at)
       values ($1, 'older', sha256($2::bytea), 'write', $3, now() + interval '1 day')`,
      [person.id, token, event.id],
    );
    const bearer = { headers: { authorization: `Bearer ${token}` } };
    expect(summarizeResponse(await nobody.get(`${slug}${one}`, bearer))).toEqual(UNVERIFIED);
    const [mine, theirs] = [await EventStream.open(world.as(person)), await EventStream.open(world.as(omar))];
    const filed = await world.report(maya, event);
    await theirs.change("incident.created", filed.id);
    expect(mine.text).not.toContain(filed.id);
    mine.close();
    theirs.close();
  });

  test("is mailed nothing of what happens, until it is verified", async () => {
    const roles: RoleAssignments = { organization: [organization, "org_admin"], events: [[event, "Admin"]] };
    const silent = await unverified("Silent Person", roles);
    const reporting = await unverified("Silent Reporter", { events: [[event, "Reporter"]] });
    const heard = await world.person("Hearing Person", { events: [[event, "Admin"]] });
    const filed = await world.report(reporting, event, { severity: "critical" });
    await world.move(filed, "acknowledged");
    await world
      .as(reporting)
      .patch(`${ME}/password`, { currentPassword: PASSWORD, newPassword: "nine slow boats" });
    await waitUntil("both changes are dispatched", async () => (await heed.rows("outbox_events")) === 0);
    await heed.sql(
      "update notifications set mail_due = now() where incident_id = $1 and mail_due is not null",
      [filed.id],
    );
    await waitForMails(heed, heard.email);
    await waitUntil("no mail waits and none is written", async () => {
      const waiting = await heed.rows("notifications", "user_id = $1 and mail_due is not null", [
        reporting.id,
      ]);
      const jobs = await heed.rows("graphile_worker.jobs", "task_identifier = 'mail.notification'");
      return waiting + jobs === 0;
    });
    const to = ({ email }: TestPerson) => readMails(heed).filter((mail) => mail.to === email);
    expect([to(silent), to(reporting)]).toEqual([[], []]);
    expect(await heed.rows("notifications", "user_id = $1", [silent.id])).toBeGreaterThan(0);
  });

  test("doesn't count as a reader who is left when a report is hidden from others", async () => {
    const place = await world.newEvent(organization, "Two on the team");
    const ally = await world.person("Ally Admin", { events: [[place, "Admin"]] });
    const other = await unverified("Una Unverified", { events: [[place, "Responder"]] });
    await world.grant(maya, place, "Reporter");
    const about = await world.report(maya, place);
    const hide = () =>
      world
        .as(maya)
        .put(`/api/events/${place.id}/incidents/${about.id}/readers/${ally.id}`, { access: "none" });
    expect((await hide()).status).toBe(400);
    await heed.sql("update users set email_verified_at = now() where id = $1", [other.id]);
    expect((await hide()).status).toBe(200);
  });

  test("is no Admin yet whom the last one could leave an event to", async () => {
    const alone = await world.newEvent(organization);
    const last = await world.person("Last Admin", { events: [[alone, "Admin"]] });
    const waiting = await unverified("Waiting Admin", { events: [[alone, "Admin"]] });
    const leave = () => world.as(last).delete(`${ME}/events/${alone.id}`);
    expectRefusal(await leave(), "409 LAST_ADMIN");
    await verify(await plantedLink(waiting), undefined, world.as(waiting));
    expect((await leave()).status).toBe(204);
  });
});

describe("somebody who registered another person's address before", () => {
  test("loses access when the address's owner sets a password with the mailed link", async () => {
    const given = account();
    const person = await register(given);
    const thief = await signedIn(given);
    await thief.patch(`${ME}/profile`, {
      email: `${generateUniqueWord()}@example.org`,
      currentPassword: PASSWORD,
    });
    await nobody.post("/api/auth/forgot-password", { email: given.email });
    const token = await waitForResetToken(heed, given.email, 2);
    const reset = await nobody.post("/api/auth/reset-password", { token, newPassword: "nine slow boats" });
    expect(reset.status, reset.text).toBe(200);
    expect(await isVerified(person)).toBe(true);
    expect((await thief.get(ME)).status).toBe(401);
    for (const table of ["email_changes", "email_verifications", "api_tokens", "second_factors"])
      expect(await heed.rows(table, "user_id = $1", [person.id]), table).toBe(0);
    expect((await heed.visitor().post("/api/auth/login", given)).status).toBe(401);
    await signedIn(given, "nine slow boats");
  });
});

describe("another address", () => {
  test("that a SystemAdmin sets has to be confirmed from there", async () => {
    const person = await world.person("Corrected Person", { events: [[event, "Responder"]] });
    const token = await plantedLink(person);
    const email = `${generateUniqueWord()}@example.org`;
    const change = { name: person.name, email, role: "Responder" };
    expect(
      (await world.as(sam).patch(`/api/events/slug/${event.slug}/users/${person.id}`, change)).status,
    ).toBe(200);
    expect(summarizeResponse(await world.as(person).get(`${id()}/audit`))).toEqual(UNVERIFIED);
    expectRefusal(await verify(token, PASSWORD), "400 CONFIRM_TOKEN_INVALID");
    expect((await verify(await waitForVerificationToken(heed, email), PASSWORD)).status).toBe(200);
    await world.signIn(person);
    expect((await world.as(person).get(`${id()}/incidents`)).status).toBe(200);
  });

  test("that its owner asked for is confirmed with the change", async () => {
    const person = await unverified("Mistyped Person");
    const email = `${generateUniqueWord()}@example.org`;
    await world.as(person).patch(`${ME}/profile`, { email, currentPassword: PASSWORD });
    const [mail] = await waitForMails(heed, email);
    const token = new URL(mail?.links[0] ?? "http://missing/").searchParams.get("token") ?? "";
    expect((await world.as(person).post("/api/auth/confirm-email", { token })).status).toBe(200);
    expect(await isVerified(person)).toBe(true);
    // The mistyped one belongs to somebody, who hears nothing of it.
    expect(readMails(heed).filter(({ to }) => to === person.email)).toEqual([]);
  });

  const id = () => `/api/events/${event.id}`;
});

test("a command of the operator confirms an address where mail doesn't work", async () => {
  const person = await register();
  const { DATABASE_URL = "", HEED_DATA_DIR = "" } = process.env;
  const settings = { DATABASE_URL, HEED_DATA_DIR };
  const done = await spawnProjectCommand("confirm-email", ["--email", person.email.toUpperCase()], settings);
  expect(done, done.output).toMatchObject({ code: 0 });
  expect(await isVerified(person)).toBe(true);
  expect(
    await spawnProjectCommand("confirm-email", ["--email", "nobody@example.org"], settings),
  ).toMatchObject({
    code: 1,
  });
});

describe("changing somebody else's address", () => {
  const at = (person: TestPerson) => `/api/events/slug/${event.slug}/users/${person.id}`;
  const change = (person: TestPerson, email: string, headers = {}) =>
    world.as(world.ada).patch(at(person), { name: person.name, email, role: "Reporter" }, { headers });
  const address = () => `${generateUniqueWord()}@example.org`;

  test("is limited for each person, and leaves other changes to them", async () => {
    const person = await world.person("Flooded Person", { events: [[event, "Reporter"]] });
    for (let count = 1; count <= 2; count += 1) expect((await change(person, address())).status).toBe(200);
    expectRefusal(await change(person, address()), "429 RATE_LIMITED");
    expect((await change(person, person.email)).status).toBe(200);
    const other = await world.person("Other Person", { events: [[event, "Reporter"]] });
    expect((await change(other, address())).status).toBe(200);
  });

  test("counts as a look-up of the address", async () => {
    const before = await nobody.get(`/api/auth/check-email?email=${address()}`);
    const person = await world.person("Probed Person", { events: [[event, "Reporter"]] });
    expectRefusal(await change(person, maya.email), "409 EMAIL_TAKEN");
    const after = await nobody.get(`/api/auth/check-email?email=${address()}`);
    const remaining = ({ headers }: typeof before) =>
      Number(/\br=(\d+)/.exec(String(headers["ratelimit"]))?.[1]);
    expect(remaining(before) - remaining(after)).toBe(2);
  });
});
