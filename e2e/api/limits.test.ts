import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { sendRawRequest, type Client, type Reply } from "#e2e/support/client.ts";
import { startProductionService, startService, type Service } from "#e2e/support/service.ts";
import { buildForm, createPng } from "#e2e/support/evidence.ts";
import { runConcurrently, summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { waitUntil } from "#e2e/support/wait.ts";
import { PASSWORD, TestWorld, type EventRef, type TestPerson } from "#e2e/support/world.ts";

/** How guessing is slowed down, and what limits do at their edges (contract 4.2, 3.13). */

const settings = { TRUSTED_PROXIES: "127.0.0.1, ::1", RATE_LOOKUP_ADDRESS_PER_MINUTE: "2" };
const heed = await startProductionService({ ...settings, RATE_GENERAL_USER_PER_MINUTE: "1000000" });
/** Another process, whose other limits are lower. */
const lowered = await startProductionService({
  ...settings,
  HEED_PROCESSES: "1",
  RATE_GENERAL_USER_PER_MINUTE: "10",
  RATE_JOIN_USER_PER_HOUR: "2",
  RATE_REPORT_USER_PER_HOUR: "2",
});
const world = await TestWorld.build(heed);

/** At the cost of production mode; of no password that is known. */
const STRONG_HASH = "$2b$12$lWetZDIdff9N1CPFEmNgGew2lOsgLRi0MUzMsFsa9eFIUFQTdn4T.";

let addresses = 0;
/** An address that nobody has come from yet. */
const somewhere = () => {
  addresses += 1;
  return { "x-forwarded-for": `198.18.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}` };
};
type Where = ReturnType<typeof somewhere>;

const logIn = (email: string, password: string, headers: Where, service: Service = heed): Promise<Reply> =>
  service.visitor().post("/api/auth/login", { email, password }, { headers, mayWrite: true, failing: true });

/** Seconds until the next attempt may be made, of the one key that the database holds since `clear`. */
async function waits(): Promise<{ failures: number; seconds: number }> {
  const rows = await heed.sql<{ failures: number; seconds: number }>(
    "select failures, extract(epoch from next_allowed - now())::float8 as seconds from sign_in_delays",
  );
  expect(rows).toHaveLength(1);
  return rows[0] as { failures: number; seconds: number };
}

const clear = () => heed.sql("delete from sign_in_delays");
/** As if the wait were over. */
const letPass = () => heed.sql("update sign_in_delays set next_allowed = now()");

/**
 * Has the attempt count as the given number of failures. Only the first and the last are sent, since each takes the time
 * of a real hash.
 */
async function failToSignIn(times: number, attempt: () => Promise<Reply>): Promise<void> {
  expect((await attempt()).status).toBe(401);
  await heed.sql("update sign_in_delays set next_allowed = now(), failures = $1", [times - 1]);
  expect((await attempt()).status).toBe(401);
  expect((await waits()).failures).toBe(times);
}

describe("wrong passwords", () => {
  test("are refused without checking the password during the delay, even a correct one", async () => {
    await clear();
    const { email } = await world.person("Waiting Person");
    const headers = somewhere();
    let began = 0;
    await failToSignIn(8, () => {
      began = performance.now();
      return logIn(email, "wrong", headers);
    });
    for (const service of [heed, lowered]) {
      const reply = await logIn(email, PASSWORD, headers, service);
      expect([reply.status, reply.body.code]).toEqual([429, "RATE_LIMITED"]);
      expect(reply.headers["set-cookie"]).toBeUndefined();
      const seconds = Number(reply.headers["retry-after"]);
      expect(seconds).toBeGreaterThan(15 - (performance.now() - began) / 1000);
      expect(seconds).toBeLessThanOrEqual(16);
    }
    await letPass();
    expect((await logIn(email, PASSWORD, headers)).status).toBe(200);
    expect(await heed.rows("sign_in_delays")).toBe(0);
  });

  test("for an address that has no account wait as long", async () => {
    await clear();
    const [email, headers] = [`${generateUniqueWord()}@example.org`, somewhere()];
    await failToSignIn(8, () => logIn(email, "wrong", headers));
    expect(summarizeResponse(await logIn(email, "wrong", headers))).toEqual([429, "RATE_LIMITED"]);
    expect((await waits()).seconds).toBeGreaterThan(8);
  });

  test("are counted when they arrive concurrently, over two processes", async () => {
    await clear();
    const { email } = await world.person("Stormed Person");
    const headers = somewhere();
    const replies = await runConcurrently(20, (index) =>
      logIn(email, "wrong", headers, index % 2 ? heed : lowered),
    );
    const checked = replies.filter(({ status }) => status === 401);
    expect(checked.length).toBeLessThanOrEqual(6);
    // A slow machine tells some of those that may be looked at to come back (503).
    const refused = replies.filter(({ status }) => status === 429 || status === 503);
    expect(refused).toHaveLength(20 - checked.length);
    expect(refused.length).toBeGreaterThanOrEqual(14);
  });

  test("from one place don't keep the owner out at another", async () => {
    await clear();
    const { email } = await world.person("Besieged Person");
    const attacker = somewhere();
    await failToSignIn(12, () => logIn(email, "wrong", attacker));
    expect((await logIn(email, "wrong", attacker)).status).toBe(429);
    expect((await logIn(email, PASSWORD, somewhere())).status).toBe(200);
  });

  describe("never delay the right one beyond the stated time", () => {
    /** Whoever guesses on and on, from the address of the owner: after ten guesses, of which one is sent. */
    async function besiege() {
      await clear();
      const { email, id } = await world.person("Besieged At Home");
      const headers = somewhere();
      let guesses = 0;
      const guess = () => logIn(email, `guess number ${(guesses += 1)}`, headers);
      expect((await guess()).status).toBe(401);
      await heed.sql("update sign_in_delays set failures = 10");
      await keepWaiting();
      return { email, id, headers, guess };
    }
    const secondPasses = async () => {
      await heed.sql("update sign_in_delays set next_allowed = next_allowed - interval '1 second'");
      await heed.sql("update sign_in_retries set allowed_at = allowed_at - interval '1 second'");
    };
    /** However slow the machine is. */
    const keepWaiting = () =>
      heed.sql("update sign_in_delays set next_allowed = now() + interval '30 seconds' where failures > 6");
    const letRetry = () => heed.sql("update sign_in_retries set allowed_at = now()");

    test("somebody who retries each second gets in within half a minute, though others always try first", async () => {
      const { email, headers, guess } = await besiege();
      let [seconds, checked] = [0, 0];
      for (; (await logIn(email, PASSWORD, headers)).status === 429; seconds += 1) {
        expect(seconds).toBeLessThan(30);
        await secondPasses();
        for (let count = 0; count < 4; count += 1) checked += Number((await guess()).status === 401);
      }
      // One for each time that the wait ended; the machine's own seconds count, too.
      expect(checked).toBeLessThanOrEqual(2);
    });

    test("a retry at the stated time is checked, once", async () => {
      const { email, headers, guess } = await besiege();
      expect((await logIn(email, PASSWORD, headers)).status).toBe(429);
      await letPass();
      expect((await guess()).status).toBe(401);
      const tryAnother = () => runConcurrently(4, () => logIn(email, "another wrong one", headers));
      expect((await tryAnother()).map(({ status }) => status)).toEqual([429, 429, 429, 429]);
      await letRetry();
      expect((await tryAnother()).map(({ status }) => status).toSorted()).toEqual([401, 429, 429, 429]);
      expect((await guess()).status).toBe(429);
      expect((await logIn(email, PASSWORD, headers)).status).toBe(200);
    });

    test("a device that signed in before doesn't wait, and has a counter of its own until the password is another", async () => {
      const { email, id, headers, guess } = await besiege();
      const device = heed.visitor();
      const own = { email, password: PASSWORD };
      await device.post("/api/auth/login", own, { headers: somewhere() });
      const known = device.device;
      await keepWaiting();
      expect((await guess()).status).toBe(429);
      expect((await device.post("/api/auth/login", own, { headers })).status).toBe(200);
      const statuses: number[] = [];
      const thief = heed.visitor();
      for (let count = 0; count < 7; count += 1) {
        thief.device = known;
        const reply = await thief.post(
          "/api/auth/login",
          { email, password: "stolen guess" },
          { headers, mayWrite: true },
        );
        statuses.push(reply.status);
      }
      expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429]);
      expect((await device.post("/api/auth/login", own, { headers })).status).toBe(200);
      await heed.sql("update users set password_hash = $2 where id = $1", [id, STRONG_HASH]);
      await keepWaiting();
      const after = await device.post("/api/auth/login", own, { headers, mayWrite: true });
      expect(after.status).toBe(429);
    });

    test("who is signed in proves their password by a counter of their own", async () => {
      const { email, headers, guess } = await besiege();
      const owner = heed.visitor();
      await owner.post("/api/auth/login", { email, password: PASSWORD }, { headers: somewhere() });
      await keepWaiting();
      expect((await guess()).status).toBe(429);
      const change = { currentPassword: PASSWORD, newPassword: "eight large lanterns" };
      const reply = await owner.patch("/api/users/me/password", change, { headers });
      expect(reply.status, reply.text).toBe(200);
    });
  });
});

describe("local mode", async () => {
  const local = await startService({
    TRUSTED_PROXIES: settings.TRUSTED_PROXIES,
    RATE_LOOKUP_ADDRESS_PER_MINUTE: "1",
    PASSWORD_COST: "12",
  });

  test("has a style guide, which production hasn't (production.test.ts)", async () => {
    const page = await sendRawRequest(local.url, { method: "GET", path: "/styleguide", headers: {} });
    expect(page.status).toBe(200);
    expect(page.text).toContain("Style guide");
  });

  test("has no limits", async () => {
    for (let count = 1; count <= 5; count += 1)
      expect((await local.visitor().get("/api/auth/check-email?email=a@example.org")).status).toBe(200);
  });

  // Nobody is turned away here for how long a busy machine takes.
  test("lets seventy sign-ins that wait at one address delay neither sessions nor sign-ins elsewhere, and turns away those that are too many", async () => {
    const crowd = somewhere();
    const { email } = await world.person("Elsewhere Person");
    const statuses: number[] = [];
    for (let count = 0; count < 70; count += 1)
      void local
        .visitor()
        .post(
          "/api/auth/login",
          { email: `${generateUniqueWord()}@example.org`, password: "wrong password" },
          { headers: crowd, failing: true, mayWrite: true },
        )
        .then(({ status, headers }) => statuses.push(status === 503 && headers["retry-after"] ? 503 : status))
        // The service is killed before all of them have had their turn.
        .catch(() => undefined);
    await waitUntil("those that are too many are turned away", () => statuses.includes(503));
    expect((await logIn(email, PASSWORD, somewhere(), local)).status).toBe(200);
    const countAnswered = () => statuses.filter((status) => status === 401).length;
    const before = countAnswered();
    expect(before).toBeLessThan(40);
    const session = local.visitor(world.as(world.nora).cookie);
    for (let count = 1; count <= 30; count += 1)
      expect((await session.get("/api/session")).body.authenticated).toBe(true);
    // If hashing kept the sessions waiting, each of them would wait for a password at least.
    expect(countAnswered() - before).toBeLessThan(30);
    expect(countAnswered()).toBeLessThan(50);
    expect(statuses.every((status) => status === 401 || status === 503)).toBe(true);
    // Or it would hash the passwords of all that wait.
    await local.process.stop("SIGKILL");
  });
});

describe("a limit", () => {
  const check = (headers: Where, service = heed) =>
    service.visitor().get("/api/auth/check-email?email=a@example.org", { headers });

  test("says how many and how long, and ends with its window", async () => {
    const headers = somewhere();
    for (const left of [1, 0]) {
      const reply = await check(headers);
      expect([reply.status, reply.headers.ratelimit]).toEqual([
        200,
        expect.stringMatching(new RegExp(`^"lookup";r=${left};t=\\d+$`)),
      ]);
    }
    const { status, headers: limitHeaders } = await check(headers, lowered);
    expect(status).toBe(429);
    expect(limitHeaders).toMatchObject({
      "ratelimit-policy": '"lookup";q=2;w=60',
      ratelimit: `"lookup";r=0;t=${limitHeaders["retry-after"]}`,
    });
    expect(Number(limitHeaders["retry-after"])).toBeLessThanOrEqual(60);
    // A process that has seen the limit reached remembers it by itself; one that hasn't looks.
    const elsewhere = somewhere();
    for (const status of [200, 200, 429]) expect((await check(elsewhere)).status).toBe(status);
    await heed.sql("update rate_limits set expire = 0");
    expect((await check(elsewhere, lowered)).status).toBe(200);
  });

  test("counts all addresses of one IPv6 network as one", async () => {
    const of = (index: number) => ({ "x-forwarded-for": `2001:db8:9:9:${index.toString(16)}:${index}::1` });
    const statuses = await runConcurrently(40, async (index) => (await check(of(index))).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(2);
  });

  test("that can't be counted refuses sign-in and related calls, and nothing else", async () => {
    await heed.sql("alter table rate_limits rename to rate_limits_gone");
    const account = {
      email: `${generateUniqueWord()}@example.org`,
      password: "seven small lanterns",
      name: "New",
    };
    const failing = { headers: somewhere(), failing: true } as const;
    const visitor = heed.visitor();
    const closed = [
      await visitor.post("/api/auth/login", { email: world.maya.email, password: PASSWORD }, failing),
      await visitor.post("/api/auth/register", account, failing),
      await visitor.post("/api/auth/forgot-password", { email: world.maya.email }, failing),
    ];
    const open = [await check(somewhere()), await world.as(world.maya).get("/api/users/me/incidents")];
    await heed.sql("alter table rate_limits_gone rename to rate_limits");
    for (const { status, body, headers } of closed) {
      expect([status, body.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
      expect(headers["retry-after"]).toBeDefined();
    }
    expect(open.map(({ status }) => status)).toEqual([200, 200]);
    await waitUntil("a line in the log", () =>
      heed.process.output().includes("rate limit counter unavailable"),
    );
  });
});

/** Whom lower limits than the usual ones refuse, and what responses say of them (contract 3.19, docs/decisions/029). */
describe("a lowered limit", async () => {
  const world = await TestWorld.build(lowered);
  const { event, maya, nora, organization } = world;

  const limitsOf = ({ headers }: Reply) => [headers["ratelimit-policy"], headers.ratelimit];
  /** What is left of a limit. */
  const restOf = ({ headers }: Reply, limit = "general") =>
    Number(new RegExp(`"${limit}";r=(\\d+);t=\\d+`).exec(String(headers.ratelimit))?.[1]);

  async function tokenOf(person: TestPerson): Promise<{ headers: Record<string, string> }> {
    const token = `heed_${randomBytes(32).toString("base64url")}`;
    await lowered.sql(
      `insert into api_tokens (user_id, name, token_hash, scope, expires_at)
       values ($1, 'Script', sha256($2::bytea), 'write', now() + interval '1 day')`,
      [person.id, token],
    );
    return { headers: { authorization: `Bearer ${token}` } };
  }

  const GENERAL = '"general";q=10;w=60';
  const report = { title: "Shouting at the door", description: "It went on for a while." };
  const incidents = `/api/events/${event.id}/incidents`;
  const file = (session: Client, body: object, ask = {}) =>
    session.post(incidents, body, { mayWrite: true, ...ask });

  describe("a call of a person", () => {
    test("says what is left of the general limit, each time one less, and also when it is refused", async () => {
      const client = await world.device(await world.person("Counting Person"));
      const first = await client.get("/api/users/me");
      expect(first.headers["ratelimit-policy"]).toBe(GENERAL);
      expect(first.headers.ratelimit).toMatch(/^"general";r=9;t=([1-5]?\d|60|61)$/);
      const refused = await client.get(incidents);
      expect([refused.status, restOf(refused)]).toEqual([403, 8]);
      const missing = await client.get(`/api/events/${maya.id}`);
      expect([missing.status, restOf(missing)]).toEqual([404, 7]);
      // Through Next as well: a body that nothing reads keeps a request there (docs/architecture.md).
      expect(restOf(await client.get("/api/users/me", { raw: "{}" }))).toBe(6);
    });

    test("with a token counts apart from what the person does in a session", async () => {
      const person = await world.person("Watched Person");
      const [client, token] = [await world.device(person), await tokenOf(person)];
      expect(restOf(await lowered.visitor().get("/api/users/me", token))).toBe(9);
      for (let count = 0; count < 3; count += 1) await client.get("/api/users/me");
      expect(restOf(await lowered.visitor().get("/api/users/me", token))).toBe(8);
      expect(restOf(await client.get("/api/users/me"))).toBe(6);
    });

    test("that reports or uploads doesn't say how many reports or uploads are left", async () => {
      const person = await world.person("Quiet Reporter", { events: [[event, "Reporter"]] });
      const client = await world.device(person);
      const reply = await file(client, { ...report, anonymous: true });
      expect([reply.status, reply.headers["ratelimit-policy"], reply.headers.ratelimit]).toEqual([
        201,
        `${GENERAL}, "report";q=2;w=3600`,
        expect.stringMatching(/^"general";r=9;t=\d+$/),
      ]);
      const { id } = (await file(client, report)).body.incident;
      const refused = await file(client, report);
      expect(limitsOf(refused)).toEqual([
        '"report";q=2;w=3600',
        `"report";r=0;t=${refused.headers["retry-after"]}`,
      ]);
      const note = { name: "a.txt", bytes: "What I saw." };
      const added = await client.post(`${incidents}/${id}/related-files`, buildForm({}, note));
      expect([added.status, ...limitsOf(added)]).toEqual([201, '"upload";q=60;w=3600', undefined]);
    });
  });

  describe("a call without a person", () => {
    test("says what is left for its address", async () => {
      const at = { headers: { "x-forwarded-for": "198.51.100.7" } };
      const check = await lowered.visitor().get("/api/auth/check-email?email=a@example.org", at);
      expect(limitsOf(check)).toEqual(['"lookup";q=2;w=60', expect.stringMatching(/^"lookup";r=1;t=\d+$/)]);
      const other = await lowered.visitor().get("/api/users/me", at);
      expect([other.status, other.headers["ratelimit-policy"]]).toEqual([401, '"anonymous";q=600;w=60']);
      expect(restOf(other, "anonymous")).toBe(599);
    });

    test("to the mailbox never says what others at its address did", async () => {
      const reply = await lowered.visitor().get("/api/mailbox");
      expect([reply.status, ...limitsOf(reply)]).toEqual([401, '"anonymous";q=600;w=60', undefined]);
    });

    test("for a reset link says the same whether or not there is an account", async () => {
      const ask = async (email: string, address: string) => {
        const headers = { "x-forwarded-for": address };
        return lowered.visitor().post("/api/auth/forgot-password", { email }, { headers, mayWrite: true });
      };
      const replies = [
        await ask(nora.email, "198.51.100.8"),
        await ask("nobody@example.org", "198.51.100.9"),
      ];
      for (const reply of replies)
        expect(limitsOf(reply)).toEqual([
          '"forgot";q=60;w=3600',
          expect.stringMatching(/^"forgot";r=59;t=\d+$/),
        ]);
    });
  });

  describe("no header of limits", () => {
    test("comes with a response that others may get from a cache", async () => {
      const admin = world.as(world.ada);
      const logo = { field: "logo", name: "logo.png", bytes: await createPng(), type: "image/png" };
      expect((await admin.post(`/api/events/slug/${event.slug}/logo`, buildForm({}, logo))).status).toBe(200);
      const read = (headers = {}) => admin.get(`/api/events/slug/${event.slug}/logo`, { headers });
      const shown = await read();
      expect([shown.status, shown.headers["cache-control"]]).toEqual([200, expect.stringMatching(/^public/)]);
      expect(limitsOf(shown)).toEqual([undefined, undefined]);
      const known = await read({ "if-none-match": String(shown.headers.etag) });
      expect([known.status, ...limitsOf(known)]).toEqual([304, undefined, undefined]);
    });
  });

  /** Sends a request until it is refused. @returns how often it was accepted, and the response that refuses it */
  async function sendUntilRefused(
    request: () => Promise<Reply>,
  ): Promise<{ accepted: number; refused: Reply }> {
    for (let accepted = 0; accepted <= 20; accepted += 1) {
      const reply = await request();
      if (reply.status >= 400) return { accepted, refused: reply };
    }
    throw new Error("No request was refused.");
  }

  describe("reached", () => {
    test("counts the requests of all personal tokens of a person together, and not those of others", async () => {
      const person = await world.person("Counted Person");
      const tokens = [await tokenOf(person), await tokenOf(person)];
      let sent = 0;
      const { accepted, refused } = await sendUntilRefused(() =>
        lowered.visitor().get("/api/users/me", tokens[(sent += 1) % 2]),
      );
      expect([accepted, ...summarizeResponse(refused)]).toEqual([10, 429, "RATE_LIMITED"]);
      expect((await lowered.visitor().get("/api/users/me", await tokenOf(nora))).status).toBe(200);
    });

    test("counts the requests of each service token", async () => {
      const place = await world.newOrganization("Counted Guild");
      const admin = await world.person("Admin of the Guild", {
        organization: [place, "org_admin"],
        events: [[await world.newEvent(place), "Admin"]],
      });
      const make = async () => {
        const wanted = { name: "Script", scope: "read", currentPassword: PASSWORD };
        const { body } = await world.as(admin).post(`/api/organizations/${place.id}/tokens`, wanted);
        return { headers: { authorization: `Bearer ${body.token}` } };
      };
      const [first, second] = [await make(), await make()];
      const ask = (token: typeof first) =>
        lowered.visitor().get(`/api/organizations/${place.id}/events`, token);
      const { accepted, refused } = await sendUntilRefused(() => ask(first));
      expect([accepted, refused.status]).toEqual([10, 429]);
      expect((await ask(second)).status).toBe(200);
    });

    test("lets a person join only so many events an hour, and send only so many reports without a role", async () => {
      const events: EventRef[] = [];
      for (let made = 0; made < 3; made += 1) events.push(await world.newEvent(organization));
      for (const event of events) await world.grant(world.ada, event, "Admin");
      const person = await world.person("Tireless Person");
      const outcomes = [];
      for (const { slug } of events)
        outcomes.push(summarizeResponse(await world.as(person).post(`/api/events/slug/${slug}/join`)));
      expect(outcomes).toEqual([[200], [200], [429, "RATE_LIMITED"]]);
      const sender = await world.person("Tireless Sender");
      const sent = [];
      for (const { slug } of events) {
        const reply = await world
          .as(sender)
          .post(`/api/events/slug/${slug}/reports`, { ...report, anonymous: true });
        sent.push(summarizeResponse(reply));
      }
      expect(sent).toEqual([[201], [201], [429, "RATE_LIMITED"]]);
    });
  });
});
