import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { sendRawRequest, type Reply } from "#e2e/support/client.ts";
import { runConcurrently } from "#e2e/support/concurrent-requests.ts";
import { buildForm } from "#e2e/support/evidence.ts";
import { readMails } from "#e2e/support/outbox.ts";
import { sendRawBytes } from "#e2e/support/raw-bytes.ts";
import { findFreePort } from "#e2e/support/process.ts";
import { startProductionService } from "#e2e/support/service.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, TestWorld } from "#e2e/support/world.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

/** Production mode: rate limits, cookies, common passwords (contract 13.1). */

const limits = {
  RATE_LOGIN_ADDRESS_PER_MINUTE: "40",
  RATE_REGISTER_ADDRESS_PER_HOUR: "6",
  RATE_FORGOT_ACCOUNT_PER_HOUR: "2",
  RATE_FORGOT_ADDRESS_PER_HOUR: "8",
  RATE_LOOKUP_ADDRESS_PER_MINUTE: "10",
  RATE_REPORT_USER_PER_HOUR: "5",
  RATE_REPORT_ADDRESS_PER_HOUR: "2",
  RATE_CRITICAL_REPORT_USER_PER_HOUR: "2",
  RATE_ANONYMOUS_FILES_MB_USER_PER_DAY: "20",
  RATE_FILES_MB_USER_PER_DAY: "30",
  RATE_FILES_MB_ADDRESS_PER_DAY: "2",
  RATE_MESSAGE_USER_PER_HOUR: "3",
  RATE_UPLOAD_USER_PER_HOUR: "3",
  RATE_SEARCH_USER_PER_MINUTE: "4",
  RATE_GENERAL_USER_PER_MINUTE: "40",
  RATE_GENERAL_ADDRESS_PER_MINUTE: "30",
  TRUSTED_PROXIES: "127.0.0.1, ::1",
};
const heed = await startProductionService(limits);
const world = await TestWorld.build(heed);
const { event, maya, omar } = world;

/** Each test comes from an address of its own; the proxy that says so is a trusted one. */
let addresses = 0;
const somewhere = () => ({ "x-forwarded-for": `198.51.100.${(addresses += 1)}` });

function expectLimited(reply: Reply): void {
  expect([reply.status, reply.body.code]).toEqual([429, "RATE_LIMITED"]);
  expect(Number(reply.headers["retry-after"])).toBeGreaterThanOrEqual(1);
}

describe("rate limits", () => {
  test("on the files of people without an account count the bytes of an address, and of nobody else", async () => {
    const path = `/api/events/slug/${event.slug}/anonymous-reports`;
    const report = { title: "Shouting at the desk", description: "It went on for a while." };
    const send = (headers: Record<string, string>) =>
      heed
        .visitor()
        .post(path, buildForm(report, { name: "a.txt", bytes: "word ".repeat(300_000) }), { headers });
    const here = somewhere();
    expect((await send(here)).status).toBe(201);
    const refused = await send(here);
    expect([refused.status, refused.headers["x-error-key"]]).toEqual([429, "tooManyFilesToday"]);
    expect((await send(somewhere())).status).toBe(201);
  });

  test("on reports without an account make an address wait, and nobody else", async () => {
    const path = `/api/events/slug/${event.slug}/anonymous-reports`;
    const report = { title: "Shouting at the desk", description: "It went on for a while." };
    const send = async (headers: Record<string, string>) =>
      (await heed.visitor().post(path, report, { headers })).status;
    const busy = somewhere();
    const startedAt = performance.now();
    expect([await send(busy), await send(busy)]).toEqual([201, 201]);
    const waiting = send(busy).then((status) => ({ status, ms: performance.now() - startedAt }));
    // More than an event took in an hour while it had a limit of its own.
    for (let count = 0; count < 61; count += 1)
      expect(await send({ "x-forwarded-for": `203.0.113.${count}` })).toBe(201);
    const { status, ms } = await waiting;
    expect([status, ms > 15_000]).toEqual([201, true]);
  });

  test("on sign-in count by address, for half a minute at most, and by device where one signed in before", async () => {
    const headers = somewhere();
    const [person, other] = [await world.person("Crowded Person"), await world.person("Other Person")];
    const own = { email: person.email, password: PASSWORD };
    const device = heed.visitor();
    expect((await device.post("/api/auth/login", own, { headers })).status).toBe(200);
    // Several at a time: half of the limit is free again after half a minute.
    for (let round = 1; round <= 3; round += 1) {
      const replies = await runConcurrently(13, () =>
        heed.visitor().post("/api/auth/login", {}, { headers }),
      );
      for (const { status } of replies) expect(status).toBe(400);
    }
    const refused = await heed.visitor().post("/api/auth/login", own, { headers });
    expectLimited(refused);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(30);
    device.cookie = undefined;
    expect((await device.post("/api/auth/login", own, { headers })).status).toBe(200);
    // For nobody else's account.
    expectLimited(await device.post("/api/auth/login", { ...own, email: other.email }, { headers }));
    device.device = "device=forged";
    expectLimited(await device.post("/api/auth/login", own, { headers }));
    expect((await heed.visitor().post("/api/auth/login", own, { headers: somewhere() })).status).toBe(200);
  });

  test("on register count by address", async () => {
    const headers = somewhere();
    const register = () =>
      heed
        .visitor()
        .post(
          "/api/auth/register",
          { email: `${generateUniqueWord()}@example.org`, password: "", name: "" },
          { headers },
        );
    for (let count = 1; count <= 6; count += 1) expect((await register()).status).toBe(400);
    expectLimited(await register());
    expect((await heed.visitor().post("/api/auth/register", {}, { headers: somewhere() })).status).toBe(400);
  });

  test("on forgot-password count by account, and by address", async () => {
    const forgot = (email: string, headers: Record<string, string>) =>
      heed.visitor().post("/api/auth/forgot-password", { email }, { headers });
    for (const _ of [1, 2]) expect((await forgot(maya.email, somewhere())).status).toBe(200);
    expectLimited(await forgot(maya.email.toUpperCase(), somewhere()));
    const headers = somewhere();
    for (let count = 1; count <= 8; count += 1)
      expect((await forgot(`${generateUniqueWord()}@example.org`, headers)).status).toBe(200);
    expectLimited(await forgot(`${generateUniqueWord()}@example.org`, headers));
  });

  test("on looking up addresses and invites count by address, together", async () => {
    const headers = somewhere();
    for (let count = 1; count <= 5; count += 1) {
      expect(
        (
          await heed
            .visitor()
            .get(`/api/auth/check-email?email=${generateUniqueWord()}@example.org`, { headers })
        ).status,
      ).toBe(200);
      expect(
        (await heed.visitor().get(`/api/organizations/invite/${generateUniqueWord()}`, { headers })).status,
      ).toBe(404);
    }
    expectLimited(await heed.visitor().get("/api/auth/check-email?email=a@example.org", { headers }));
    expectLimited(await heed.visitor().get(`/api/invites/${generateUniqueWord()}`, { headers }));
  });

  test("on searches of incidents, people and events count together, by person", async () => {
    const search = (path: string) => world.as(omar).get(`${path}?search=a`, { headers: somewhere() });
    const people = `/api/events/slug/${world.event.slug}/users`;
    const paths = [
      people,
      `${people}/${maya.id}/incidents`,
      "/api/users/me/events",
      "/api/users/me/incidents",
    ];
    for (const path of paths) expect((await search(path)).status, path).toBe(200);
    for (const path of paths) expectLimited(await search(path));
    expect((await world.as(omar).get("/api/users/me/incidents")).status).toBe(200);
    expect((await world.as(maya).get("/api/users/me/incidents?search=a")).status).toBe(200);
  });

  test("on uploads count by person", async () => {
    const upload = () => {
      const body = new FormData();
      body.append("title", "A report with a file");
      body.append("description", "d");
      body.append("relatedFiles", new Blob(["what I saw"]), "notes.txt");
      return world.as(maya).post(`/api/events/${event.id}/incidents`, body, { headers: somewhere() });
    };
    for (let count = 1; count <= 3; count += 1) expect((await upload()).status).toBe(201);
    expectLimited(await upload());
  });

  test("on messages count by reporter and report, changed ones too, and never the team's", async () => {
    const person = await world.person("Writing Much", { events: [[event, "Reporter"]] });
    const [report, other] = [await world.report(person, event), await world.report(person, event)];
    const at = ({ id }: { id: string }) => `/api/events/${event.id}/incidents/${id}/comments`;
    const write = (author: typeof person, to: { id: string }) =>
      world
        .as(author)
        .post(at(to), { body: "One more thing.", visibility: "public" }, { headers: somewhere() });
    const first = await write(person, report);
    expect([first.status, (await write(person, report)).status]).toEqual([201, 201]);
    const change = (body: string) =>
      world.as(person).patch(`${at(report)}/${first.body.comment.id}`, { body }, { headers: somewhere() });
    expect((await change("Another thing.")).status).toBe(200);
    const refused = await write(person, report);
    expectLimited(refused);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(3500);
    expectLimited(await change("A third thing."));
    expect((await write(person, other)).status).toBe(201);
    for (let count = 1; count <= 5; count += 1) expect((await write(omar, report)).status).toBe(201);
  });

  describe("on reports count by person", () => {
    const path = `/api/events/${event.id}/incidents`;
    const report = { title: "One report of many", description: "It went on for a while." };
    const reporter = (name: string) => world.person(name, { events: [[event, "Reporter"]] });

    test("with and without a name together, critical ones also apart, and only those that arrived", async () => {
      const person = await reporter("Reporting Often");
      const file = (more: object = {}, key?: string) =>
        world.as(person).post(
          path,
          { ...report, ...more },
          {
            headers: { ...somewhere(), ...(key && { "idempotency-key": key }) },
          },
        );
      for (let count = 1; count <= 3; count += 1) expect((await file({ title: "Short" })).status).toBe(400);
      const critical = { severity: "critical", anonymous: true };
      for (const _ of [1, 2]) expect((await file(critical)).status).toBe(201);
      const refused = await file(critical);
      expectLimited(refused);
      const seconds = Number(refused.headers["retry-after"]);
      expect(seconds).toBeGreaterThan(3500);
      expect(seconds).toBeLessThanOrEqual(3660);
      expect((await file({ anonymous: true }, "a key of its own")).status).toBe(201);
      for (const _ of [1, 2]) expect((await file()).status).toBe(201);
      // Before a body is read, but what arrived before is answered as before.
      expectLimited(await file({ title: "Short" }));
      expectLimited(await file());
      expect((await file({ anonymous: true }, "a key of its own")).status).toBe(201);
      expectLimited(await file({ anonymous: true }, "another key"));
      const other = await reporter("Reporting Once");
      expect((await world.as(other).post(path, report, { headers: somewhere() })).status).toBe(201);
    });

    test("also count reports that are refused for their files, which were inspected", async () => {
      const person = await reporter("Sending Programs");
      const program = { name: "run.exe", bytes: "MZ\u0000\u0001\u0002" };
      const send = (more: Record<string, string> = {}) =>
        world.as(person).post(path, buildForm({ ...report, ...more }, program), { headers: somewhere() });
      // Exclusions are checked before the files.
      const refused = await send({ excludedUserIds: person.id });
      expect([refused.status, refused.text.includes("excludedUserIds")]).toEqual([400, true]);
      for (const _ of [2, 3]) expect((await send()).body.code).toBe("UNSUPPORTED_FILE_TYPE");
      const file = () => world.as(person).post(path, report, { headers: somewhere() });
      for (const _ of [4, 5]) expect((await file()).status).toBe(201);
      expectLimited(await file());
    });

    test("limit the uploads of one person by their total size, so that nobody can fill the event's storage", async () => {
      const sendAs = async (name: string) => {
        const person = await reporter(name);
        return (anonymous: boolean, ...bytes: number[]) => {
          const files = bytes.map((size, at) => ({ name: `${at}.txt`, bytes: "word ".repeat(size / 5) }));
          const body = buildForm({ ...report, anonymous: String(anonymous) }, ...files);
          return world.as(person).post(path, body, { headers: somewhere() });
        };
      };
      // No more requests with files than a person may send in an hour.
      const anonymously = await sendAs("Sending Much");
      expect((await anonymously(true, 6_000_000, 6_000_000)).status).toBe(201);
      const refused = await anonymously(true, 100);
      expectLimited(refused);
      expect(refused.headers["x-error-key"]).toBe("tooManyFilesToday");
      expect((await anonymously(true)).status).toBe(201);
      expect((await anonymously(false, 100)).status).toBe(201);
      const named = await sendAs("Sending More");
      expect((await named(false, 6_000_000, 6_000_000)).status).toBe(201);
      expect((await named(false, 6_000_000, 6_000_000)).headers["x-error-key"]).toBe("tooManyFilesToday");
      expect((await named(false, 100)).status).toBe(201);
    });

    test("return the text of the form without script", async () => {
      const person = await reporter("Writing Often");
      const send = async () => {
        const page = await world.as(person).get(`/e/${event.slug}/report`, { headers: somewhere() });
        const action = /action="([^"]*\/report\/send\?upload=[^"]*)"/.exec(page.text)?.[1] ?? "";
        const body = new FormData();
        body.append("ticket", /name="ticket" value="([^"]*)"/.exec(page.text)?.[1] ?? "");
        body.append("description", "Words that took me an hour.");
        return world.as(person).post(action.replaceAll("&amp;", "&"), body, { headers: somewhere() });
      };
      expect((await send()).headers.location).toContain("/report/sent");
      for (let count = 2; count <= 5; count += 1)
        expect((await world.as(person).post(path, report, { headers: somewhere() })).status).toBe(201);
      const back = (await send()).headers.location ?? "";
      expect(back).toContain("/report?return=");
      const page = await world.as(person).get(String(back), { headers: somewhere() });
      expect(page.text).toContain("Words that took me an hour.");
    });
  });

  describe("on the form without script and account", () => {
    const story = "Words that took me an hour.";
    const open = async (headers: ReturnType<typeof somewhere>) => {
      const page = await heed.visitor().get(`/e/${event.slug}/report?without=account`, { headers });
      const action = /action="([^"]*\/report\/send\?upload=[^"]*)"/.exec(page.text)?.[1] ?? "";
      const ticket = /name="ticket" value="([^"]*)"/.exec(page.text)?.[1] ?? "";
      return (fields: Record<string, string>) =>
        heed
          .visitor()
          .post(action.replaceAll("&amp;", "&"), buildForm({ ticket, title: "short", ...fields }), {
            headers,
            failing: true,
            mayWrite: true,
          });
    };
    const stored = () => heed.rows("refused_forms", "true", []);

    test("keep twenty refused ones of an address, and send the words of more back to it alone", async () => {
      const [before, send] = [await stored(), await open(somewhere())];
      for (let count = 1; count <= 20; count += 1)
        expect((await send({ description: story })).headers.location).toContain("&return=");
      const more = await send({ description: story });
      expect([more.status, more.headers.location, more.text.includes(story)]).toEqual([503, undefined, true]);
      expect(await stored()).toBe(before + 20);
      const elsewhere = await open(somewhere());
      expect((await elsewhere({ description: story })).headers.location).toContain("&return=");
    });

    test("store nothing of a form over a limit, which comes back with its words to be sent again", async () => {
      const headers = somewhere();
      const send = await open(headers);
      for (let count = 1; count < 30; count += 1)
        await heed.visitor().get("/api/mailbox/challenge", { headers });
      const before = await stored();
      const reply = await send({ description: `${story} <script>`, location: "Hall 3" });
      expect([reply.status, reply.headers["retry-after"] !== undefined]).toEqual([429, true]);
      expect(reply.text).toContain(`\n${story} &lt;script&gt;</textarea>`);
      expect(reply.text).toContain("Hall 3</textarea>");
      expect(reply.text).toMatch(/name="ticket" value="[^"]+"/);
      expect(await stored()).toBe(before);
    });

    test("store no form that is longer than an accepted one can be", async () => {
      const [before, send] = [await stored(), await open(somewhere())];
      const reply = await send({ description: story, junk: "x".repeat(100_000) });
      expect([reply.status, reply.text.includes(story)]).toEqual([503, true]);
      expect(await stored()).toBe(before);
    });
  });

  test("on everything else count by person, or by address without one, under every path and spelling", async () => {
    const headers = somewhere();
    const paths = ["/session", "/api/session", "/api/auth/session"];
    for (let count = 0; count < 30; count += 1)
      expect((await heed.visitor().get(paths[count % 3] ?? "", { headers })).status).toBe(200);
    for (const path of paths) {
      expectLimited(await heed.visitor().get(path, { headers }));
      expect((await heed.visitor().send("HEAD", path, undefined, { headers })).status).toBe(429);
      // Other spellings are no doors at all.
      for (const other of [`${path}/`, path.toUpperCase(), path.replace("session", "%73ession")])
        expect((await heed.visitor().get(other, { headers })).status, other).toBe(404);
    }
    const person = await world.person("Busy Person");
    for (let count = 0; count < 40; count += 1)
      expect((await world.as(person).get("/session", { headers: somewhere() })).status).toBe(200);
    expectLimited(await world.as(person).get("/session", { headers: somewhere() }));
    expect((await heed.visitor().get("/session", { headers: somewhere() })).status).toBe(200);
  });

  test.each(["the API", "a quick exit"])("never refuse to sign somebody out, through %s", async (way) => {
    const person = await world.person("Leaving Person");
    const client = world.as(person);
    for (let count = 0; count < 40; count += 1) await client.get("/session", { headers: somewhere() });
    expectLimited(await client.get("/session", { headers: somewhere() }));
    const path = way === "the API" ? "/api/auth/logout" : "/leave";
    const reply = await client.post(path, undefined, { headers: somewhere(), mayRenew: true });
    expect(reply.status).toBeLessThan(300);
    expect(await heed.rows("sessions", "user_id = $1", [person.id])).toBe(0);
  });
});

/** Behind no proxy that it trusts; at an address with https. */
const apart = await startProductionService(
  { RATE_LOOKUP_ADDRESS_PER_MINUTE: "3", TRUSTED_PROXIES: "" },
  "https://heed.example.org",
);

describe("a forwarded header of an untrusted client", () => {
  test("is ignored", async () => {
    const check = () => {
      const headers = {
        ...somewhere(),
        "x-real-ip": "203.0.113.9",
        forwarded: "for=203.0.113.8",
        "x-heed-client": "203.0.113.7",
      };
      return apart.visitor().get("/api/auth/check-email?email=a@example.org", { headers });
    };
    // The counters are those of the other processes on this database, too: nothing else came from this address.
    const statuses = [(await check()).status, (await check()).status, (await check()).status];
    expect(statuses).toEqual([200, 200, 200]);
    expectLimited(await check());
  });
});

test("a page of the host that a request names is another site, unless it is BASE_URL", async () => {
  const { port } = new URL(heed.url);
  const send = (origin: string, host: string) =>
    heed.visitor().post("/api/auth/login", {}, { headers: { ...somewhere(), origin, host } });
  for (const name of ["evil.example", "localhost"]) {
    const refused = await send(`http://${name}:${port}`, `${name}:${port}`);
    expect([refused.status, refused.body.code]).toEqual([403, "CSRF_REJECTED"]);
  }
  expect((await send(heed.url, `evil.example:${port}`)).status).toBe(400);
});

test("without a mail server, there is a warning for SystemAdmins and in the log", async () => {
  const { body } = await world.as(world.sam).get("/api/admin/health", { headers: somewhere() });
  expect(body.warnings).toContainEqual({ warning: "noMailServer", seenAt: expect.any(String) });
  expect(heed.process.output()).toContain('"warning":"noMailServer"');
});

test("the health check of the image succeeds while the service responds, and fails on a port where none does", async () => {
  const dockerfile = fs.readFileSync(path.join(PROJECT_ROOT, "Dockerfile"), "utf8");
  const [, line = "[]"] = /^HEALTHCHECK [^[]*(\[.*\])$/m.exec(dockerfile) ?? [];
  const [program = "", ...args] = JSON.parse(line) as string[];
  const check = (port: string | number) =>
    spawnSync(program, args, {
      env: { ...process.env, PORT: String(port) },
      timeout: 20_000,
      stdio: "ignore",
    }).status;
  expect(check(new URL(heed.url).port)).toBe(0);
  expect(check(await findFreePort())).not.toBe(0);
});

test("there is no style guide, which local mode has (limits.test.ts)", async () => {
  const absent = await sendRawRequest(heed.url, {
    method: "GET",
    path: "/styleguide",
    headers: somewhere(),
  });
  expect(absent.status).toBe(404);
  expect(absent.text).not.toContain("Style guide");
});

test("addresses have to be confirmed by a link, also without a mail server", async () => {
  const person = await world.person("Unconfirmed Admin", { events: [[event, "Admin"]] });
  await heed.sql("update users set email_verified_at = null where id = $1", [person.id]);
  const headers = somewhere();
  const session = await world.as(person).get("/api/session", { headers });
  expect(session.body.user.emailVerified).toBe(false);
  const audit = await world.as(person).get(`/api/events/slug/${event.slug}/audit`, { headers });
  expect([audit.status, audit.body.code]).toEqual([403, "EMAIL_UNVERIFIED"]);
  expect((await world.as(person).post("/api/users/me/verify-email", {}, { headers })).status).toBe(200);
  // The two services share a database, and either takes the job.
  const mail = await waitUntil("the mail", () =>
    [heed, apart].flatMap(readMails).find(({ to }) => to === person.email),
  );
  expect(mail.links.join()).toContain("/verify-email?token=");
});

describe("passwords", () => {
  test("are hashed at cost 12", async () => {
    const account = {
      email: `${generateUniqueWord()}@example.org`,
      password: "seven small lanterns",
      name: "New",
    };
    const reply = await heed.visitor().post("/api/auth/register", account, { headers: somewhere() });
    expect(reply.status, reply.text).toBe(201);
    const [row] = await heed.sql("select password_hash from users where email = $1", [account.email]);
    expect(row?.password_hash).toMatch(/^\$2b\$12\$/);
  });

  test("that are common are refused", async () => {
    for (const password of ["password", "PASSWORD"]) {
      const reply = await heed
        .visitor()
        .post(
          "/api/auth/register",
          { email: `${generateUniqueWord()}@example.org`, password, name: "N" },
          { headers: somewhere() },
        );
      expect(reply.status).toBe(400);
      expect(reply.body.details).toMatch(/^password: is one of the most common/);
    }
  });

  test("that are easy to guess, or made of the person's or the product's name, are refused wherever one is set", async () => {
    const person = await world.person("Castillo Guessable");
    const register = (password: string) =>
      heed
        .visitor()
        .post(
          "/api/auth/register",
          { email: person.email, name: person.name, password },
          { headers: somewhere() },
        );
    expect((await register("Password1!")).body.details).toMatch(/^password: is too easy to guess/);
    const personal = [person.email, "Guessable1!", "Heed2026!"];
    for (const password of personal)
      expect((await register(password)).body.details).toMatch(/^password: is too close to your name/);
    for (const newPassword of ["Password1!", person.email]) {
      const reply = await world
        .as(person)
        .patch(
          "/api/users/me/password",
          { currentPassword: PASSWORD, newPassword },
          { headers: somewhere() },
        );
      expect([reply.status, reply.body.details]).toEqual([
        400,
        expect.stringMatching(/^newPassword: is too/),
      ]);
    }
  });
});

describe("over https", () => {
  test("the cookie is Secure and bound to the host, and responses have HSTS", async () => {
    const client = apart.visitor();
    const reply = await client.post("/api/auth/login", { email: omar.email, password: PASSWORD });
    expect(reply.status, reply.text).toBe(200);
    const [session = "", device = ""] = reply.headers["set-cookie"] ?? [];
    expect(device).toMatch(
      /^__Host-device=.{100,}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax; Secure$/,
    );
    const [pair = "", ...attributes] = session.split("; ");
    expect(pair).toMatch(/^__Host-session=.{100,}$/);
    expect(attributes.sort()).toEqual(["HttpOnly", "Max-Age=86400", "Path=/", "SameSite=Lax", "Secure"]);
    expect(reply.headers["strict-transport-security"]).toBe("max-age=31536000; includeSubDomains");
    expect((await client.get("/session")).body.user.id).toBe(omar.id);
    const plain = client.cookie?.replace("__Host-session=", "session=");
    expect((await apart.visitor(plain).get("/session")).body).toEqual({ authenticated: false });
    const ours = { origin: "https://heed.example.org" };
    expect(
      (
        await client.post("/api/auth/logout", undefined, {
          headers: { origin: "http://heed.example.org.evil.test" },
        })
      ).status,
    ).toBe(403);
    expect((await client.post("/api/auth/logout", undefined, { headers: ours })).status).toBe(200);
  });

  test("every kind of response has HSTS, and signing out clears the device", async () => {
    for (const where of [
      "/",
      "/login",
      "/api/session",
      "/api/nothing",
      "/nowhere",
      "/_next/static/none.js",
      "/api/session/",
    ]) {
      const { headers } = await sendRawRequest(apart.url, { method: "GET", path: where, headers: {} });
      expect(headers["strict-transport-security"], where).toBe("max-age=31536000; includeSubDomains");
      expect(headers["clear-site-data"], where).toBeUndefined();
    }
    expect((await sendRawBytes(apart.port, "GET / HTTP/1.1\r\nno header\r\n\r\n")).head).toContain(
      "Strict-Transport-Security: max-age=31536000",
    );
    const client = apart.visitor();
    const signedIn = await client.post("/api/auth/login", { email: maya.email, password: PASSWORD });
    expect([signedIn.status, signedIn.headers["clear-site-data"]]).toEqual([200, undefined]);
    const signedOut = await client.post("/api/auth/logout");
    expect([signedOut.status, signedOut.headers["clear-site-data"]]).toEqual([200, '"cache", "storage"']);
  });
});

test("nobody's address is in the log or in a table, whatever was counted or refused", async () => {
  const output = heed.process.output();
  expect(output).toContain("rate limit reached");
  expect(output).not.toMatch(/198\.51\.100\.|2001:0?db8|127\.0\.0\.1(?!:)/);
  const tables = await heed.sql<{ name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  );
  expect(tables.length).toBeGreaterThan(30);
  expect(await heed.rows("rate_limits")).toBeGreaterThan(0);
  // Nor as a hash that anybody can make of each address there is.
  const bare = Array.from({ length: 256 }, (_, last) => `198.51.100.${last}`).flatMap((address) => {
    const hash = createHash("sha256").update(`heed:${address}`).digest("base64url").slice(0, 32);
    return [hash, createHash("sha256").update(address).digest("hex")];
  });
  const storedKeys = await heed.sql<{ key: string }>("select key from rate_limits");
  expect(storedKeys.filter(({ key }) => bare.some((hash) => key.includes(hash)))).toEqual([]);
  for (const { name } of tables)
    expect(await heed.rows(`${name} t`, "t::text ~ '198\\.51\\.100\\.|2001:0?db8'"), name).toBe(0);
});
