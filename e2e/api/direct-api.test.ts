import { randomBytes } from "node:crypto";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { keepOnePerOperation } from "#e2e/api/declared-routes.ts";
import { Caller, addRowTitles, ROWS, type Row } from "#e2e/api/routes.ts";
import { runWithoutBackgroundWork } from "#e2e/support/background-work.ts";
import type { Reply } from "#e2e/support/client.ts";
import { summarizeResponse } from "#e2e/support/concurrent-requests.ts";
import { buildForm } from "#e2e/support/evidence.ts";
import { startService } from "#e2e/support/service.ts";
import { generateUniqueWord } from "#e2e/support/unique.ts";
import { PASSWORD, TestWorld } from "#e2e/support/world.ts";

/**
 * Walks over all reads, on a service where no job of other tests waits. The cross-site guard lets every GET pass
 * (contract 3.12), so none may write. Calls that don't go through Next's router are answered as those that do, and
 * `DIRECT_API=off` sends each through it (docs/architecture.md). Calls from pages of other origins, on both paths of the
 * API (contract 3.20).
 */

const ALLOWED = "https://dashboard.example.org";
const FOREIGN = "https://evil.example";

// Each serving process learns by itself. On also in a run of the suite with the path turned off.
const heed = await startService({
  HEED_PROCESSES: "1",
  DIRECT_API: "on",
  CORS_ORIGINS: `${ALLOWED}, https://other.example.org`,
});
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);

const sam = await world.device(world.sam);
const omar = await world.device(world.omar);
const nobody = heed.visitor();

describe("reading", () => {
  test("writes nothing, whichever path is read", async () => {
    const reads = ROWS.filter((row) => row.method === "GET");
    const prepared = await Promise.all(
      reads.map(async (row) => ({ row, example: await row.example?.(world, "sam") })),
    );
    // Nothing listens at their addresses, and each try takes its time.
    await heed.sql("update webhooks set disabled_at = now() where disabled_at is null");
    await runWithoutBackgroundWork(async () => {
      const before = await everything();
      for (const { row, example = {} } of prepared) {
        const reply = await caller.call({ ...row, example: () => example }, "sam");
        expect(reply.status, `${row.path} ${reply.text}`).toBe(200);
      }
      const after = await everything();
      const changed = Object.keys(before).filter(
        (table) => JSON.stringify(after[table]) !== JSON.stringify(before[table]),
      );
      expect(changed).toEqual([]);
      expect(after).toEqual(before);
    });
  });

  /** Who looked is recorded, and so is when a session was last used. */
  const NOT_VIEWED = ["audit_chains", "audit_entries", "incident_access", "sessions"];

  /** What all the other tables hold. */
  const everything = async () => {
    const tables = await heed.sql<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public' and tablename <> all ($1) order by 1",
      [NOT_VIEWED],
    );
    expect(tables.length).toBeGreaterThan(20);
    const dumps = tables.map(async ({ name }) => [
      name,
      await heed.sql(`select coalesce(jsonb_agg(to_jsonb(t) order by t::text), '[]') as rows from ${name} t`),
    ]);
    return Object.fromEntries(await Promise.all(dumps));
  };

  test("is not turned into something else by an override", async () => {
    const path = `/api/organizations/${(await world.newOrganization()).id}`;
    const before = await heed.rows("organizations");
    for (const headers of [
      { "x-http-method-override": "DELETE" },
      { "x-http-method": "DELETE" },
      { "x-method-override": "DELETE" },
    ])
      expect((await world.as(world.sam).get(path, { headers })).status).toBe(200);
    expect((await world.as(world.sam).get(`${path}?_method=DELETE`)).status).toBe(200);
    expect(
      (
        await world
          .as(world.sam)
          .post(path, { _method: "DELETE" }, { headers: { "x-http-method-override": "DELETE" } })
      ).status,
    ).toBe(405);
    expect(await heed.rows("organizations")).toBe(before);
  });
});

/** A body that nothing reads keeps a request on the way through Next. */
const AROUND = { raw: "{}" };

/** Next says of each response that it differs by what its router asks with. */
const cameThroughNext = ({ headers }: Reply) => /\brsc\b/.test(headers.vary ?? "");

const OF_THE_WAY = [
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "transfer-encoding",
  "vary",
  "x-request-id",
];
/** The headers that both ways have in common, without the random values of cursors. */
const headersOf = ({ headers: { link, ...headers } }: Reply) => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_WAY.includes(name))),
  ...(link && { link: String(link).replaceAll(/(\bcursor=)[\w-]+/g, "$1…") }),
});

/** Files, pictures, exports and logs, the live stream, and what isn't an operation. */
const STREAMED =
  /\/(?:download|logo|avatar|qr|export|export\/matching|audit|stream|openapi\.json|health\/live)$/;
/** One function sends every response, by Next or without it: the streams, and two of each length below each container. */
const kindOf = ({ path }: Row) => [path.split("/")[2], path.split("/").length, STREAMED.test(path)].join();
const ALL_READS = keepOnePerOperation(ROWS.filter((row) => row.method === "GET" && !row.caller));
const READS = [...Map.groupBy(ALL_READS, kindOf).values()].flatMap((alike) =>
  STREAMED.test(alike[0]?.path ?? "") ? alike : alike.slice(0, 2),
);
const short: string[] = [];

describe("the second call to a path", () => {
  test.each(addRowTitles(READS))("%s gets the same response as the first call", async (_, row) => {
    const role = caller.allowed(row);
    const example = await row.example?.(world, role);
    const read = (ask = {}) => caller.call({ ...row, example: () => example ?? {} }, role, { ask });
    const around = await read(AROUND);
    expect(cameThroughNext(around)).toBe(true);
    await read();
    const again = await read();
    if (!cameThroughNext(again)) short.push(row.path);
    expect(again.status).toBe(around.status);
    expect(headersOf(again)).toEqual(headersOf(around));
    const lasting = row.path === "/api/admin/health" ? maskJobMeasurements : maskTimesAndRandomValues;
    expect(lasting(again.text)).toBe(lasting(around.text));
  });

  test("takes the direct API path, except for streams", () => {
    const paths = READS.map(({ path }) => path);
    expect(short.length).toBeGreaterThan(15);
    expect(paths.filter((path) => !short.includes(path))).toEqual(
      paths.filter((path) => STREAMED.test(path)),
    );
  });

  /** Replaces times, durations and random values, which differ from response to response. */
  const maskTimesAndRandomValues = (text: string) =>
    text
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "then")
      .replaceAll(/("(?:milliseconds|uptime)":)[\d.]+/g, "$1…")
      .replaceAll(/("(?:challenge|cursor|draft|receipt)":")[^"]+/g, "$1…");
  /** Also replaces measurements that jobs change between two requests. */
  const maskJobMeasurements = (text: string) =>
    maskTimesAndRandomValues(text)
      .replaceAll(/("(?:bytes|freeBytes|waiting|lag|failed|failedTries)":)\d+/g, "$1…")
      .replaceAll(/("status":)"(?:ok|failed)"/g, "$1…")
      .replaceAll(
        /("(?:oldestWaitingAt|failingSince|lastRecordedAt|lastScheduledAt)":)(?:null|"then")/g,
        "$1…",
      );
});

describe("on the direct API path", () => {
  const list = () => `/api/events/${world.event.id}/incidents`;
  const learn = async (path: string) => {
    await sam.get(path);
    expect(cameThroughNext(await sam.get(path))).toBe(false);
  };

  test("a response is compressed only for clients that accept it", async () => {
    for (let count = 0; count < 3; count += 1)
      await world.report(world.maya, world.event, { title: `Gentian ${generateUniqueWord()}` });
    await learn(list());
    const plain = await sam.get(list());
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.headers["content-length"]).toBe(String(plain.bytes.length));
    const taking = async (encoding: string) => {
      const headers = { cookie: sam.cookie ?? "", "accept-encoding": encoding };
      const reply = await fetch(`${heed.url}${list()}`, { headers });
      return { headers: reply.headers, text: await reply.text() };
    };
    for (const encoding of ["gzip", "br, gzip;q=0.5", "deflate, GZIP"]) {
      const packed = await taking(encoding);
      expect(packed.headers.get("content-encoding"), encoding).toBe("gzip");
      expect(packed.headers.get("vary")).toContain("Accept-Encoding");
      expect(Number(packed.headers.get("content-length"))).toBeLessThan(plain.bytes.length);
      expect(packed.text).toBe(plain.text);
    }
    for (const encoding of ["gzip;q=0", "gzip; q=0.0, br", "br", "gzipped"]) {
      const whole = await taking(encoding);
      expect(whole.headers.get("content-encoding"), encoding).toBeNull();
      expect(whole.text).toBe(plain.text);
    }
  });

  test("a header can't route a request to another operation", async () => {
    const session = "/api/auth/session";
    const own = "/api/users/me/events";
    await omar.get(session, { headers: { "x-heed-route": own } });
    await omar.get(own, { headers: { "x-heed-route": session } });
    expect((await omar.get(session)).body.authenticated).toBe(true);
    const events = await omar.get(own);
    expect([events.status, events.body.authenticated]).toEqual([200, undefined]);
  });

  test("the Host header is not part of the query", async () => {
    await learn(list());
    const whole = (await omar.get(list())).text;
    for (const host of ["x?limit=1", "x?limit=1&", "x/y#z", "heed?page=9"])
      expect((await omar.get(list(), { headers: { host } })).text, host).toBe(whole);
  });

  test("a body comes in pieces, and is refused for its size while it comes", async () => {
    const send = (bodyText: string, headers: { "transfer-encoding"?: string } = {}) =>
      omar.post(list(), undefined, {
        raw: bodyText,
        headers: { "content-type": "application/json", ...headers },
      });
    const bodyText = () =>
      JSON.stringify({ title: `Fennel ${generateUniqueWord()}`, description: "What happened." });
    for (const headers of [{}, {}, { "transfer-encoding": "chunked" }]) {
      const reply = await send(bodyText(), headers);
      expect([reply.status, reply.text.includes("Fennel")]).toEqual([201, true]);
    }
    expect(cameThroughNext(await send(bodyText()))).toBe(false);
    const large = JSON.stringify({ title: "x".repeat(300_000) });
    expect((await send(large)).status).toBe(413);
    expect((await send(large, { "transfer-encoding": "chunked" })).status).toBe(413);
    expect((await send("{")).body.code).toBe("INVALID_JSON");
  });

  test("a client that slowly continues a refused body is cut off", async () => {
    for (let count = 0; count < 2; count += 1) await world.report(world.maya, world.event);
    const socket = net.connect(Number(heed.port), "127.0.0.1");
    // Unlike `once` of node:events, also after a reset, which cuts off as well.
    const closed = new Promise((resolve) => socket.once("close", resolve));
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk)).on("error", () => {});
    const lines = [
      `POST ${list()} HTTP/1.1`,
      `Host: 127.0.0.1:${heed.port}`,
      `Cookie: ${omar.cookie}`,
      "Content-Type: application/json",
      "Content-Length: 300000",
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    const sending = setInterval(() => socket.write(" "), 200);
    await Promise.race([closed, sleep(120_000, undefined, { ref: false })]);
    clearInterval(sending);
    const open = !socket.closed;
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).not.toMatch(/^Vary:.*\brsc\b/im);
    expect(open, "the connection is still open").toBe(false);
  });
});

describe("a page of another origin", async () => {
  const token = `heed_${randomBytes(32).toString("base64url")}`;
  await heed.sql(
    `insert into api_tokens (user_id, name, token_hash, scope, expires_at)
     values ($1, 'Dashboard', sha256($2::bytea), 'write', now() + interval '1 day')`,
    [world.omar.id, token],
  );
  const bearer = { authorization: `Bearer ${token}` };
  const from = (origin: string) => ({ origin, "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" });
  const { event } = world;
  const cookie = omar.cookie;

  const incidents = `/api/events/${event.id}/incidents`;
  const corsOf = ({ headers }: Reply) =>
    Object.keys(headers).filter((name) => name.startsWith("access-control-"));
  // lib/server/cors.test.ts has what the guard says of each.
  describe("a preflight", () => {
    const preflight = (origin: string, method: string, path = incidents) =>
      nobody.send("OPTIONS", path, undefined, {
        headers: {
          ...from(origin),
          "access-control-request-method": method,
          "access-control-request-headers": "authorization,content-type,if-match",
        },
      });

    test("from an allowed origin names the methods of the path, from a foreign one none", async () => {
      const reply = await preflight(ALLOWED, "POST");
      expect(reply.status).toBe(204);
      expect(reply.headers).toMatchObject({
        "access-control-allow-origin": ALLOWED,
        "access-control-allow-methods": "GET, POST, HEAD, OPTIONS",
        "access-control-allow-headers": expect.stringContaining(
          "Authorization, Content-Type, Idempotency-Key",
        ),
      });
      expect(reply.headers["access-control-allow-credentials"]).toBeUndefined();
      const nowhere = await preflight(ALLOWED, "GET", "/api/nothing");
      expect(nowhere.headers["access-control-allow-methods"]).toBeUndefined();
      const foreign = await preflight(FOREIGN, "POST");
      expect([foreign.status, corsOf(foreign)]).toEqual([204, []]);
      for (const { headers } of [reply, foreign]) expect(headers.vary).toMatch(/\bOrigin\b/);
    });
  });

  describe("a call with a token from an allowed origin", () => {
    test("is answered alike on both paths of the API", async () => {
      const read = (ask = {}) => nobody.get(incidents, { headers: { ...from(ALLOWED), ...bearer }, ...ask });
      await read();
      const [direct, throughNext] = [await read(), await read(AROUND)];
      for (const { status, headers } of [direct, throughNext]) {
        expect(status).toBe(200);
        expect(headers["access-control-allow-origin"]).toBe(ALLOWED);
        expect(headers["access-control-expose-headers"]).toMatch(
          /\bLocation\b.*\bRetry-After\b.*\bX-Ignored\b/,
        );
        expect(headers.vary).toMatch(/\bOrigin\b/);
        expect(headers["cache-control"]).toBe("private, no-store");
      }
      expect(corsOf(throughNext)).toEqual(corsOf(direct));
    });

    test("writes, and can read refusals of all kinds", async () => {
      const body = { title: "A report from the dashboard", description: "What happened." };
      const gone = { authorization: "Bearer heed_gone" };
      const calls: [method: string, path: string, status: number, as?: typeof bearer][] = [
        ["POST", incidents, 201],
        ["GET", `/api/organizations/${world.organization.id}`, 403],
        ["GET", "/api/nothing", 404],
        ["GET", "/api/users/me/", 404],
        ["GET", "/api/users/me", 401, gone],
      ];
      for (const [method, path, status, as = bearer] of calls) {
        const sent = method === "POST" ? body : undefined;
        const reply = await nobody.send(method, path, sent, { headers: { ...from(ALLOWED), ...as } });
        expect([reply.status, reply.headers["access-control-allow-origin"]], path).toEqual([status, ALLOWED]);
      }
    });

    test("can read what is downloaded and what is streamed", async () => {
      const headers = { ...from(ALLOWED), ...bearer };
      const files = `${incidents}/${(await world.report(world.omar, event)).id}/related-files`;
      const added = await omar.post(files, buildForm({}, { name: "a.txt", bytes: "What I saw." }));
      const download = await nobody.get(`${files}/${added.body.relatedFiles[0].id}/download`, { headers });
      expect([download.status, download.headers["access-control-allow-origin"]]).toEqual([200, ALLOWED]);
      expect(download.headers["access-control-expose-headers"]).toContain("Content-Disposition");
      const stream = await fetch(`${heed.url}/api/users/me/stream`, { headers });
      expect(stream.headers.get("access-control-allow-origin")).toBe(ALLOWED);
      await stream.body?.cancel();
    });

    test("signs nobody in, whatever its token", async () => {
      const sessions = await heed.rows("sessions");
      const login = { email: world.omar.email, password: PASSWORD };
      const words = { words: "acorn acorn acorn acorn acorn acorn acorn" };
      for (const given of [token, "heed_gone"])
        for (const [path, body] of [
          ["/api/auth/login", login],
          ["/api/mailbox/session", words],
        ] as const) {
          const headers = { ...from(ALLOWED), authorization: `Bearer ${given}` };
          const reply = await nobody.post(path, body, { headers });
          expect(summarizeResponse(reply)).toEqual([403, "CSRF_REJECTED"]);
          expect(reply.headers["set-cookie"]).toBeUndefined();
        }
      expect(await heed.rows("sessions")).toBe(sessions);
    });

    test("doesn't count a cookie beside it, and sets none", async () => {
      const headers = { ...from(ALLOWED), authorization: "Bearer heed_gone", cookie };
      const session = await nobody.get("/api/session", { headers });
      expect(session.body).toEqual({ authenticated: false });
      expect(session.headers["set-cookie"]).toBeUndefined();
    });
  });

  test("a call without a token, but with a cookie, changes and reads nothing", async () => {
    const body = { title: "A report in another's name", description: "What happened." };
    for (const origin of [ALLOWED, FOREIGN]) {
      const reply = await nobody.post(incidents, body, { headers: { ...from(origin), cookie } });
      expect(summarizeResponse(reply)).toEqual([403, "CSRF_REJECTED"]);
      expect(corsOf(reply)).toEqual([]);
    }
    const read = await nobody.get("/api/users/me", { headers: { ...from(ALLOWED), cookie } });
    expect(summarizeResponse(read)).toEqual([401, "UNAUTHENTICATED"]);
    expect(corsOf(read)).toEqual([]);
  });

  test("a call with a token from a foreign origin is refused when it writes, and can't be read", async () => {
    const headers = { ...from(FOREIGN), ...bearer };
    const write = await nobody.post(incidents, { title: "x", description: "y" }, { headers });
    expect(summarizeResponse(write)).toEqual([403, "CSRF_REJECTED"]);
    const read = await nobody.get(incidents, { headers });
    expect([read.status, corsOf(read)]).toEqual([200, []]);
  });
});

test("with the direct API path off, each call goes through Next, as often as it comes", async () => {
  const throughNext = await startService({ HEED_PROCESSES: "1", DIRECT_API: "off" });
  const list = `/api/events/${world.event.id}/incidents`;
  const report = { title: "Shouting at the door", description: "It went on for a while." };
  // The first round registers the handlers of the direct API path.
  for (const round of ["first", "second"])
    for (const service of [heed, throughNext]) {
      const client = service.visitor(omar.cookie);
      const replies = [
        await client.post(list, report),
        await client.get(`${list}?limit=1`),
        await client.post(list, { title: "" }),
      ];
      expect(replies.map(({ status }) => status)).toEqual([201, 200, 400]);
      if (round === "second" || service === throughNext)
        expect(replies.map(cameThroughNext)).toEqual(replies.map(() => service === throughNext));
    }
});
