import { randomInt } from "node:crypto";
import net from "node:net";
import os from "node:os";
import { describe, expect, test } from "vitest";
import { sendRawRequest, type Reply } from "#e2e/support/client.ts";
import { buildForm } from "#e2e/support/evidence.ts";
import { LOCK_INCIDENT_SQL, runWhileLocked, waitForBlockedStatements } from "#e2e/support/row-lock.ts";
import { startService } from "#e2e/support/service.ts";
import {
  chooseThrowingServiceSettings,
  countStarts,
  expectNoContentPrinted,
  listUncaughtErrorLines,
  RESTART_TIMEOUT_MS,
} from "#e2e/support/thrown-errors.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, TestWorld } from "#e2e/support/world.ts";
import { describeListeningAddresses, UNREGISTERED_WARNING } from "#lib/server/listening-addresses.ts";

/**
 * What the log holds, and that it never holds personal data, content or secrets; at the end, what becomes of errors that
 * nothing catches.
 */

const heed = await startService({
  ...(await chooseThrowingServiceSettings()),
  LOG_LEVEL: "debug",
  HEED_PROCESSES: "1",
  HOST: "0.0.0.0",
});
const addresses = describeListeningAddresses({ HOST: "0.0.0.0", port: heed.port }, os.networkInterfaces());
const firstLines = addresses.length > 0 ? [...addresses, UNREGISTERED_WARNING] : [];
// The service answers before it writes them, and the world has accounts.
await waitUntil("the first lines", () => firstLines.every((line) => heed.process.output().includes(line)));
const world = await TestWorld.build(heed);
const { ada, event, maya, nora, omar, organization } = world;

type Line = Record<string, unknown>;

/** Every line of the log as the service writes it; what the start command tells the operator is no line of it. */
const lines = (): Line[] =>
  heed.process
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));

test("in local mode, the start names the addresses that others may reach, and warns while there is no account", () => {
  const [, started = ""] = heed.process.output().split("Heed is ready on ");
  const found = started.split("\n").filter((line) => firstLines.includes(line));
  expect(found).toEqual(firstLines);
});

describe("what people write", () => {
  const WORD = `zqlog${randomInt(1e7, 9e7)}`;
  const word = (part: string) => `${WORD}-${part}`;
  const path = `/api/events/${event.id}/incidents`;
  const headers = { "user-agent": word("agent"), referer: `https://example.org/${word("referer")}` };

  test("is not in the log, whether requests succeed or fail", async () => {
    await world.nobody.post("/api/auth/login", { email: `${WORD}@example.org`, password: word("password") });
    await world.nobody.post("/api/auth/forgot-password", { email: `${WORD}@example.org` });
    await world.nobody.post("/api/auth/reset-password", { token: word("token"), newPassword: word("new") });
    await world.nobody.get(`/api/auth/validate-reset-token?token=${word("token")}`);
    await world.nobody.get(`/api/auth/check-email?email=${WORD}@example.org`);
    await world.nobody.get(`/api/invites/${word("code")}`, { headers });
    await heed.visitor(`session=${word("cookie")}`).get("/api/users/me");
    const bearer = { authorization: `Bearer heed_${WORD.padEnd(43, "x")}` };
    await world.nobody.get("/api/users/me", { headers: bearer });
    await register();
    await report();
    for (const person of [maya, omar, nora])
      for (const list of [path, "/api/users/me/incidents", "/api/users/me/jump"])
        await world.as(person).get(`${list}?search=${word("search")}`, { headers });
    await world.as(maya).get(`${path}?status=${word("status")}&${word("name")}=1`);
    await world.as(maya).get(`/api/${word("path")}/unknown`);
    await broken();
    expect(heed.process.output()).toContain("unexpected error");
    expect(heed.process.output()).not.toContain(WORD);
    const secrets = [maya, omar, ada].flatMap(({ email, name }) => [email, name]).concat(PASSWORD);
    for (const secret of secrets) expect(heed.process.output()).not.toContain(secret);
    expect(heed.process.output()).not.toContain(world.as(maya).cookie?.split("=")[1]?.slice(0, 40));
  });

  async function register(): Promise<void> {
    const account = {
      email: `new-${WORD}-${generateUniqueWord()}@example.org`,
      password: word("password"),
      name: word("person"),
    };
    expect((await world.nobody.post("/api/auth/register", account)).status).toBe(201);
    const { invite } = (await world.as(ada).post(`/api/events/${event.id}/invites`, { role: "Reporter" }))
      .body;
    await world.as(nora).post(`/api/invites/${invite.code}/redeem`);
    await world.as(nora).post(`/api/invites/${invite.code}/redeem`);
    expect(heed.process.output()).not.toContain(invite.code);
  }

  async function report(): Promise<void> {
    const fields = { title: word("title"), description: word("description"), parties: word("parties") };
    const file = { name: `${word("file")}.txt`, bytes: word("content") };
    const { incident } = (await world.as(maya).post(path, buildForm(fields, file), { headers })).body;
    await world.as(maya).post(path, buildForm({ ...fields, anonymous: "true" }, file), { headers });
    await world.as(maya).post(path, buildForm(fields, { name: `${word("bad")}.exe`, bytes: "MZ\u0000" }));
    const comments = `${path}/${incident.id}/comments`;
    await world.as(omar).post(comments, { body: word("note"), visibility: "internal" });
    await world.as(omar).post(comments, { body: word("message"), visibility: "public" });
    await world.as(omar).patch(`${path}/${incident.id}/state`, { state: "closed", notes: word("notes") });
    await world.as(omar).patch(`${path}/${incident.id}/state`, { state: word("state") });
  }

  /** The database refuses with a message that quotes what was sent. */
  async function broken(): Promise<void> {
    await heed.sql("alter table saved_views rename to saved_views_gone");
    const body = { name: word("view"), query: `search=${WORD}` };
    const reply = await world
      .as(maya)
      .post("/api/users/me/saved-views", body, { failing: true, mayWrite: true });
    await heed.sql("alter table saved_views_gone rename to saved_views");
    expect([reply.status, reply.body.code]).toEqual([500, "INTERNAL_ERROR"]);
    expect(reply.text).not.toMatch(/saved_views|relation|42P01|prisma/i);
    const id = reply.headers["x-request-id"];
    const line = await waitUntil("the error in the log", () =>
      lines().find(({ err, requestId }) => err && requestId === id),
    );
    expect(line).toMatchObject({ level: "error", msg: "unexpected error" });
    expect(JSON.stringify(line)).not.toMatch(/insert into|select /i);
  }
});

describe("a log line", () => {
  test("is one line of JSON, whatever a request holds", async () => {
    const nasty = '\u001b[31m%0a%0d\\n{"level":"fatal"}';
    for (const request of [
      `GET /api/x%0a%0d%1b%5b31m HTTP/1.1\r\nHost: x\r\nUser-Agent: ${nasty}\r\nConnection: close\r\n\r\n`,
      `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nOrigin: https://evil.test/${nasty}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      `GET /${nasty} HTTP/1.1\r\nHost: x\r\n\r\n`,
    ])
      await send(request);
    const text = heed.process.output();
    expect(text).not.toContain("\u001b");
    expect(text).not.toContain('"fatal"');
    const own = text.split("\n").filter((line) => line.startsWith("{"));
    expect(own.length).toBeGreaterThan(0);
    for (const line of own) expect(JSON.parse(line), line).toMatchObject({ level: expect.any(String) });
  });

  test("is JSON also where the framework writes it, without a word that was sent", async () => {
    const word = `zqframework${randomInt(1e7, 9e7)}`;
    const base = `Host: 127.0.0.1:${heed.port}\r\nConnection: close\r\n`;
    const form = (type: string, body: string) =>
      `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const parts = (name: string) =>
      `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${word}\r\n--x--\r\n`;
    const requests = ["40".repeat(21), word].flatMap((action) => [
      `Next-Action: ${action}\r\n${form("text/plain;charset=UTF-8", `["${word}"]`)}`,
      `Next-Action: ${action}\r\n${form("multipart/form-data; boundary=x", parts("0"))}`,
      form("multipart/form-data; boundary=x", parts(`$ACTION_ID_${action}`)),
      form("multipart/form-data; boundary=x", `--x\r\nContent-Disposition: ${word}`),
    ]);
    const earlier = heed.process.output().length;
    for (const request of requests) await send(`POST /login HTTP/1.1\r\n${base}${request}`);
    await waitUntil("the framework has written", () => lines().some(({ source }) => source === "console"));
    for (const line of heed.process.output().slice(earlier).split("\n").slice(0, -1).filter(Boolean))
      expect(JSON.parse(line), line).toMatchObject({ level: expect.any(String) });
    expect(heed.process.output()).not.toContain(word);
  });

  async function send(bytes: string): Promise<void> {
    const socket = net.connect(heed.port, "127.0.0.1");
    await new Promise<void>((resolve) => {
      socket.on("error", () => resolve());
      socket.on("close", () => resolve());
      socket.resume();
      socket.write(bytes, "latin1");
    });
  }
});

describe("a refusal", () => {
  const cases: [code: string, operation: string, ask: () => Promise<Reply>, actor?: string][] = [
    [
      "INVALID_CREDENTIALS",
      "login",
      () => world.nobody.post("/api/auth/login", { email: maya.email, password: "wrong" }),
    ],
    [
      "FORBIDDEN",
      "showOrganization",
      () => world.as(nora).get(`/api/organizations/${organization.id}`),
      nora.id,
    ],
    [
      "CSRF_REJECTED",
      "logout",
      () => world.as(maya).post("/api/auth/logout", {}, { headers: { origin: "https://evil.test" } }),
    ],
  ];

  test.each(cases)(
    "%s is one line with time, request, operation, and who",
    async (code, operation, ask, actorId) => {
      const reply = await ask();
      expect(reply.body.code).toBe(code);
      const line = await waitUntil("the refusal in the log", () =>
        lines().find((one) => one.code === code && one.requestId === reply.headers["x-request-id"]),
      );
      expect(line).toMatchObject({ level: "info", operation: expect.any(String), msg: "request refused" });
      if (operation !== "showOrganization") expect(line.operation).toBe(operation);
      expect(line.actorId).toBe(actorId);
      expect(Math.abs(Date.parse(String(line.time)) - Date.now())).toBeLessThan(60_000);
    },
  );

  test("of a page writes the same line", async () => {
    const path = `/orgs/${organization.slug}`;
    const reply = await sendRawRequest(heed.url, {
      method: "GET",
      path,
      headers: { cookie: world.as(nora).cookie },
    });
    expect(reply.status).toBe(403);
    const line = await refusedIn(reply);
    expect(line).toMatchObject({ operation: expect.any(String), code: "FORBIDDEN", actorId: nora.id });
  });

  const refusedIn = ({ headers }: Reply) =>
    waitUntil("the refusal in the log", () =>
      lines().find(
        ({ msg, requestId }) => msg === "request refused" && requestId === headers["x-request-id"],
      ),
    );

  test("of a report doesn't say who would have sent it", async () => {
    const reply = await world
      .as(nora)
      .post(`/api/events/${world.foreignEvent.id}/incidents`, { anonymous: true });
    expect(reply.status).toBe(403);
    const id = reply.headers["x-request-id"];
    const line = await waitUntil("the refusal in the log", () =>
      lines().find(({ requestId, code }) => code && requestId === id),
    );
    expect(JSON.stringify(line)).not.toContain(nora.id);
  });
});

/** In the only process (docs/operating.md, "When something breaks"); `processes.test.ts` has those of several. */
describe("an error that nothing catches", () => {
  test("an unhandled rejection writes one line without its message, and the service continues", async () => {
    process.kill(heed.process.pid, "SIGWINCH");
    await waitUntil("the line", () => listUncaughtErrorLines(heed).length === 1);
    expect(listUncaughtErrorLines(heed)[0]).toMatchObject({
      level: "error",
      msg: "a rejection that nobody waited for",
      err: { name: "RangeError" },
    });
    expect(listUncaughtErrorLines(heed)[0]?.err?.stack[0]).toContain("throw-on-signal.ts");
    expect((await world.as(maya).get("/api/auth/session")).status).toBe(200);
    expect(countStarts(heed)).toBe(1);
    expectNoContentPrinted(heed);
  });

  test("a broken connection doesn't end the process", async () => {
    process.kill(heed.process.pid, "SIGURG");
    await waitUntil("the line", () => listUncaughtErrorLines(heed).length === 2);
    expect(listUncaughtErrorLines(heed)[1]).toMatchObject({ level: "error", err: { code: "ECONNRESET" } });
    for (let count = 0; count < 200; count += 1) await breakOff("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n");
    for (let count = 0; count < 200; count += 1) await breakOff("no request\r\n\r\n");
    expect((await world.as(maya).get("/api/auth/session")).status).toBe(200);
    expect(listUncaughtErrorLines(heed)).toHaveLength(2);
    expect(countStarts(heed)).toBe(1);
  });

  /** Sends this, and resets the connection while the response is written. */
  const breakOff = (bytes: string) =>
    new Promise<void>((resolve) => {
      const socket = net.connect(heed.port, "127.0.0.1", () => {
        socket.write(bytes);
        setImmediate(() => socket.resetAndDestroy());
      });
      socket.on("error", () => {}).on("close", () => resolve());
    });

  test("an exception writes one line, requests in flight finish, and the process restarts", async () => {
    const report = await world.report(maya, event);
    const path = `/api/events/${event.id}/incidents/${report.id}`;
    const moved = await runWhileLocked(
      LOCK_INCIDENT_SQL,
      [report.id],
      () => world.as(ada).patch(`${path}/title`, { title: "What was under way" }),
      async () => {
        await waitForBlockedStatements();
        process.kill(heed.process.pid, "SIGUSR2");
        await waitUntil("the line", () => listUncaughtErrorLines(heed).length === 3);
      },
    );
    expect(moved.status, moved.text).toBe(200);
    await waitUntil("the second start", () => countStarts(heed) === 2, RESTART_TIMEOUT_MS);
    const [, , line, ...more] = listUncaughtErrorLines(heed);
    expect(more).toEqual([]);
    expect(line).toMatchObject({
      level: "fatal",
      msg: "an exception that nobody caught",
      err: { name: "TypeError", code: "ERR_MADE_UP" },
    });
    expect(line?.err?.stack[0]).toContain("throw-on-signal.ts");
    expectNoContentPrinted(heed);
    expect((await world.as(omar).get(path)).body.incident.title).toBe("What was under way");
    await world.report(maya, event);
  });

  test("a restarted process still stops in order", async () => {
    expect(await heed.process.stop()).toBe(0);
  });
});
