import net from "node:net";
import { describe, expect, test } from "vitest";
import { Caller, addRowTitles, ROWS, type Row } from "#e2e/api/routes.ts";
import type { Client, Reply } from "#e2e/support/client.ts";
import { ApiDescription, type Json } from "#e2e/support/api-description.ts";
import { expectRefusal } from "#e2e/support/concurrent-requests.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";
import { VERSION } from "#lib/version.ts";

/** Malformed bodies, queries and values are refused by every route, and fail none (contract 3.7, 3.8). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);

/** A mailbox that isn't open is 401, whatever is sent. */
const OPEN_ROWS = ROWS.filter((row) => !row.opensMailbox);

/**
 * One reader takes the bodies of all operations, which get what their schemas parse (lib/http/json-body.test.ts); what each
 * schema takes is tested with requests made from it (generated.test.ts). So these stand for the others: JSON alone, and
 * beside multipart (contract 7.2); by each method; for what a visitor, a reporter, the team and an admin write. What becomes
 * of a body that nobody reads is in lib/server/unread-body.test.ts.
 */
const WRITTEN = [
  "POST /api/auth/login",
  "POST /api/events/:eventId/incidents",
  "PATCH /api/events/slug/:slug/incidents/:incidentId",
  "PUT /api/organizations/:organizationId",
];
const JSON_ROWS = OPEN_ROWS.filter(({ method, path }) => WRITTEN.includes(`${method} ${path}`));

test("the rows that stand for the others are there", () => expect(JSON_ROWS.length).toBe(WRITTEN.length));

const sendRaw = (row: Row, raw: string | Buffer, client: Client): Promise<Reply> =>
  client.send(row.method, caller.path(row), undefined, {
    raw,
    headers: { "content-type": "application/json" },
  });

const BROKEN: [string, string | Buffer][] = [
  ["nothing", ""],
  ["null", "null"],
  ["a list", "[]"],
  ["a text", '"x"'],
  ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])],
  ["a name that stands twice", '{"title":"One title of two","title":"Another title"}'],
  ["lists in lists in lists", `${"[".repeat(50_000)}${"]".repeat(50_000)}`],
  [
    "objects in objects",
    `${'{"a":'.repeat(15_000)}1${"}".repeat(15_000)}`.replace(/^/, '{"a":[').concat("]"),
  ],
];

describe("a body that is no JSON object", () => {
  test.each(addRowTitles(JSON_ROWS))("%s refuses it", async (_, row) => {
    const client = await caller.client(row, caller.allowed(row));
    await client.expectNothingWritten("a broken body", async () => {
      for (const [what, raw] of BROKEN) {
        const reply = await sendRaw(row, raw, client);
        expect(reply.status, `${what}: ${reply.text}`).toBe(400);
        expect(["INVALID_JSON", "VALIDATION_ERROR"], what).toContain(reply.body.code);
      }
    });
  });
});

describe("a body that is too large", () => {
  test.each(addRowTitles(JSON_ROWS))("%s refuses it", async (_, row) => {
    const client = await caller.client(row, caller.allowed(row));
    const reply = await sendRaw(row, JSON.stringify({ filler: "x".repeat(257 * 1024) }), client);
    expect([reply.status, reply.body.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
  });

  test("of unknown length is refused while it streams", async () => {
    const raw = `{"email":"${"x".repeat(600_000)}`;
    const reply = await world.nobody.post("/api/auth/login", undefined, {
      raw,
      headers: { "content-type": "application/json", "transfer-encoding": "chunked" },
    });
    expect([reply.status, reply.body.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
  });
});

describe("a body whose length is not what it says", () => {
  const HEAD = "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";

  test.each([
    ["more than comes", `${HEAD}Content-Length: 900\r\n\r\n{"email":"a@example.org"`],
    [
      "less than comes",
      `${HEAD}Connection: close\r\nContent-Length: 9\r\n\r\n{"email":"a@example.org","password":"x"}`,
    ],
    ["two things", `${HEAD}Content-Length: 2\r\nContent-Length: 20\r\n\r\n{}`],
    ["a number and no number", `${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{}`],
    ["no number", `${HEAD}Content-Length: many\r\n\r\n{}`],
    ["less than nothing", `${HEAD}Content-Length: -2\r\n\r\n{}`],
  ])("of %s is refused, and ends the connection", async (_, request) => {
    const { text } = await talk(request);
    for (const [, status] of text.matchAll(/^HTTP\/1\.1 (\d+)/gm)) expect(status).toBe("400");
    expect(text).not.toMatch(/set-cookie/i);
  });

  test("with a whole address as its target reaches the path of that address", async () => {
    const send = (path: string) =>
      talk(`GET http://elsewhere.example${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect((await send("/api/session")).text).toMatch(/^HTTP\/1\.1 200[^]*"authenticated":false/);
    expect((await send("/api/nothing")).text).toMatch(/^HTTP\/1\.1 404[^]*"code":"NOT_FOUND"/);
  });

  /** Sends bytes and the end, and waits until the service ends the connection. */
  async function talk(bytes: string): Promise<{ text: string }> {
    const socket = net.connect({ port: heed.port, host: "127.0.0.1", allowHalfOpen: true });
    const chunks: Buffer[] = [];
    socket.on("data", (part) => chunks.push(part)).on("error", () => {});
    const closed = new Promise<void>((resolve) => {
      socket.once("end", () => socket.destroy()).once("close", () => resolve());
    });
    socket.end(bytes);
    await closed;
    return { text: Buffer.concat(chunks).toString("utf8") };
  }
});

describe("a body of thousands of members", () => {
  test("is checked without delaying other requests", async () => {
    const members = Array.from({ length: 9000 }, (_, index) => [`k${index}`, 0]);
    const body = Object.fromEntries(members);
    for (const [method, path] of [
      ["POST", "/api/auth/register"],
      ["POST", "/api/auth/login"],
      ["PATCH", `/api/events/slug/${world.event.slug}`],
      ["POST", `/api/events/${world.event.id}/incidents`],
    ] as const) {
      const reply = await world.as(world.ada).send(method, path, body);
      expect([reply.status, reply.body.code], path).toEqual([400, "VALIDATION_ERROR"]);
    }
    const fine = await world
      .as(world.ada)
      .patch(`/api/events/slug/${world.event.slug}`, { ...body, name: "Fine" });
    expect(fine.status, fine.text).toBe(200);
  });
});

describe("the query of a list", async () => {
  const { operations } = new ApiDescription((await world.nobody.get("/api/openapi.json")).body);

  test.each([
    ["page", { type: "integer", minimum: 1 }],
    ["search", { type: "string", maxLength: 200 }],
  ])("all lists describe %s in the same way", (parameter, limits) => {
    const schemas = operations.flatMap(({ method, operation }) =>
      (operation.parameters ?? []).flatMap((one: Json) =>
        method === "GET" && one.in === "query" && one.name === parameter ? one.schema : [],
      ),
    );
    expect(schemas.length).toBeGreaterThan(8);
    for (const schema of schemas) expect(schema).toMatchObject(limits);
  });

  const HOSTILE = ["%%", "__", "\\\\", "''", "'; drop table users; --", "🪷🪷", "$1::int", "(((", "[a-z"];
  test.each([`/api/events/slug/${world.event.slug}/incidents`, "/api/users/me/incidents"])(
    "%s takes pages by whole numbers, and is searched for any text, of 200 characters at most",
    async (path) => {
      const ask = (query: string) => world.as(world.omar).get(`${path}?${query}`);
      const refused = ["page=1.5", "limit=1&limit=2", "search=%00", "search=%ff", "search=%ED%A0%80"];
      for (const query of [...refused, `search=${"x".repeat(201)}`])
        expectRefusal(await ask(query), "400 VALIDATION_ERROR", query);
      for (const search of [...HOSTILE, HOSTILE.join(" ")])
        expect((await ask(`search=${encodeURIComponent(search)}`)).status, search).toBe(200);
    },
  );
});

/** The fields of an example, whichever way it would travel. */
const plain = (body: unknown): Record<string, unknown> =>
  body instanceof FormData ? Object.fromEntries(body.entries()) : (body as Record<string, unknown>);

describe("a prototype in a body", () => {
  test.each(addRowTitles(JSON_ROWS.filter((row) => row.example && !row.slow)))(
    "%s ignores it",
    async (_, row) => {
      const poison = '"__proto__":{"isAdmin":true,"polluted":1},"constructor":{"prototype":{"polluted":1}}';
      const client = await caller.client(row, caller.allowed(row));
      const example = (await row.example?.(world, caller.allowed(row))) ?? {};
      const raw = JSON.stringify(plain(example.body)).replace(/^\{/, `{${poison},`);
      const path = caller.path(row, example.params);
      const reply = await client.send(row.method, path, undefined, {
        raw,
        headers: { "content-type": "application/json" },
      });
      expect([row.status, 400], reply.text).toContain(reply.status);
      expect(reply.text).not.toContain("polluted");
    },
  );

  // It would be the prototype of all objects of the service, until its end.
  test("leaves nothing in later responses", async () => {
    const session = await world.as(world.nora).get("/api/session");
    expect(session.text).not.toMatch(/polluted|isAdmin/);
    expect(session.body.user.roles).toEqual({ system: [], organizations: [], events: [] });
  });
});

describe("what the service decides itself", () => {
  const FORGED = "0bad0bad-0bad-4bad-8bad-0bad0bad0bad";
  const DECIDED = {
    id: FORGED,
    reporterId: FORGED,
    organizationId: FORGED,
    authorId: FORGED,
    createdById: FORGED,
    passwordHash: FORGED,
    tokenHash: FORGED,
    secret: FORGED,
    storageKey: FORGED,
    code: FORGED,
    createdAt: "1999-09-09T09:09:09.999Z",
    resolvedAt: "1999-09-09T09:09:09.999Z",
    firstResponseAt: "1999-09-09T09:09:09.999Z",
    useCount: 99_999,
    isAdmin: true,
    systemAdmin: true,
  };

  test.each(addRowTitles(JSON_ROWS.filter((row) => row.example && !row.slow)))(
    "%s ignores it, whoever sends it",
    async (_, row) => {
      const before = await admins();
      const reply = await caller.call(row, caller.allowed(row), {
        body: (body) => ({ ...DECIDED, ...plain(body) }),
      });
      expect([row.status, 400], reply.text).toContain(reply.status);
      expect(reply.text).not.toContain(FORGED);
      if (row.path !== "/api/admin/users/:userId") expect(await admins()).toBe(before);
    },
  );

  test("nothing that was sent is in any table", async () => {
    const tables = await heed.sql<{ name: string }>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
    );
    expect(tables.length).toBeGreaterThan(30);
    for (const { name } of tables)
      // With hyphens: eight digits alone are somewhere among millions of random ones.
      expect(await heed.rows(`${name} t`, "t::text ~ '0bad0bad-0bad-4bad|1999-09-09'"), name).toBe(0);
  });

  const admins = () => heed.rows("users", "system_admin");
});

describe("the service afterwards", () => {
  test("still responds", async () => {
    expect((await world.nobody.get("/api/health")).body).toEqual({
      status: "ok",
      database: "ok",
      version: VERSION,
    });
  });
});
