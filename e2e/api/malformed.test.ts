import net from "node:net";
import { describe, expect, test } from "vitest";
import { keepOnePerOperation } from "#e2e/api/declared-routes.ts";
import { Caller, addRowTitles, ROWS, type Row } from "#e2e/api/routes.ts";
import type { Client, Reply } from "#e2e/support/client.ts";
import { ApiDescription, type Json } from "#e2e/support/api-description.ts";
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
 * beside multipart (contract 7.2); by each method; for what a visitor, a reporter, the team and an admin write.
 */
const WRITTEN = [
  "POST /api/auth/login",
  "POST /api/events/:eventId/incidents",
  "PATCH /api/events/slug/:slug/incidents/:incidentId",
  "PATCH /api/admin/users/:userId",
  "PATCH /api/events/slug/:slug",
  "PUT /api/organizations/:organizationId",
  "POST /api/events/slug/:slug/invites",
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
  ["an open brace", "{"],
  ["null", "null"],
  ["a list", "[]"],
  ["a text", '"x"'],
  ["a number", "1"],
  ["a byte-order mark", Buffer.from("\uFEFF{}")],
  ["UTF-16", Buffer.from('{"a":"b"}', "utf16le")],
  ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])],
  ["a trailing comma", '{"a":1,}'],
  ["a name that stands twice", '{"title":"One title of two","title":"Another title"}'],
  ["a name that stands twice, once escaped", '{"state":"closed","st\\u0061te":"submitted"}'],
  ["single quotes", "{'a':1}"],
  ["NaN", '{"a":NaN}'],
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

  test("by one byte is too large; at the limit it is read", async () => {
    const of = (bytes: number) => {
      const frame = JSON.stringify({ email: "a@example.org", password: "x", filler: "" });
      return JSON.stringify({
        email: "a@example.org",
        password: "x",
        filler: "f".repeat(bytes - frame.length),
      });
    };
    const headers = { "content-type": "application/json" };
    const limit = 256 * 1024;
    expect((await world.nobody.post("/api/auth/login", undefined, { raw: of(limit), headers })).status).toBe(
      401,
    );
    expect(
      (await world.nobody.post("/api/auth/login", undefined, { raw: of(limit + 1), headers })).status,
    ).toBe(413);
  });
});

describe("a body whose length is not what it says", () => {
  const HEAD = "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
  const chunk = Buffer.from(`10000\r\n${"x".repeat(0x10000)}\r\n`);

  test("that never ends is answered while it streams, and cut", async () => {
    const { text, sent } = await talk(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`, chunk);
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toContain("PAYLOAD_TOO_LARGE");
    // What the service discards, and what the two ends of the connection can hold.
    expect(sent).toBeLessThan(96 * 1024 * 1024);
  });

  test("that is too large is answered though its sender reads only once all is sent", async () => {
    const many = "x".repeat(3 * 1024 * 1024);
    for (const body of [
      `Content-Length: ${many.length}\r\n\r\n${many}`,
      `Transfer-Encoding: chunked\r\n\r\n${many.length.toString(16)}\r\n${many}\r\n0\r\n\r\n`,
    ]) {
      const answer = await talk(`${HEAD}${body}`);
      expect(answer.text).toMatch(/^HTTP\/1\.1 413 /);
      expect(answer.text).toContain("PAYLOAD_TOO_LARGE");
    }
  });

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

  /** Sends bytes, then the same ones again and again or the end, until the service ends the connection. */
  async function talk(bytes: string, more?: Buffer): Promise<{ text: string; sent: number }> {
    const socket = net.connect({ port: heed.port, host: "127.0.0.1", allowHalfOpen: true });
    const chunks: Buffer[] = [];
    socket.on("data", (part) => chunks.push(part)).on("error", () => {});
    const closed = new Promise<void>((resolve) => {
      socket.once("end", () => socket.destroy()).once("close", () => resolve());
    });
    socket.write(bytes);
    let sent = 0;
    for (; more && !socket.destroyed; sent += more.length)
      if (!socket.write(more))
        await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
    if (!more) socket.end();
    await closed;
    return { text: Buffer.concat(chunks).toString("utf8"), sent };
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
  const takes = (parameter: string) => (row: Row) => {
    const written = row.path.replace(/:(\w+)/g, "{$1}");
    const own = operations.find(({ method, path }) => method === row.method && path === written)?.operation;
    return Boolean(own?.parameters?.some((one: Json) => one.name === parameter && one.in === "query"));
  };
  const lists = (parameter: string) =>
    addRowTitles(
      keepOnePerOperation(OPEN_ROWS.filter(({ method }) => method === "GET").filter(takes(parameter))),
    );
  /** Asks with each query in turn, all of them of one example. */
  async function buildQuerySender(row: Row): Promise<(query: string) => Promise<Reply>> {
    const role = caller.allowed(row);
    const { params, query: own } = (await row.example?.(world, role)) ?? {};
    const client = await caller.client(row, role);
    const otherQuery = own?.replace(/search=[^&]*/, "");
    return (query) =>
      client.get(`${caller.path(row, params)}?${[query, otherQuery].filter(Boolean).join("&")}`);
  }

  test("the table has lists", () => {
    expect(lists("page").length).toBeGreaterThan(15);
    expect(lists("search").length).toBeGreaterThan(8);
  });

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

  /** So one of an event's stands for them, and the one across events, which has a limit of its own. */
  const ofEachKind = (parameter: string) =>
    lists(parameter).filter(([, { path }]) =>
      /^\/api\/(events\/slug\/:slug|users\/me)\/incidents$/.test(path),
    );

  test("two kinds of lists are asked", () =>
    expect([ofEachKind("page").length, ofEachKind("search").length]).toEqual([2, 2]));

  const NO_NUMBERS = ["0", "-1", "1.5", "abc", "", "0x10", "%205%20", "1e3"];
  test.each(ofEachKind("page"))(
    "%s takes whole numbers from 1 on, once, for page and limit",
    async (_, row) => {
      const ask = await buildQuerySender(row);
      for (const name of ["page", "limit"]) {
        for (const value of [...NO_NUMBERS, `1&${name}=2`]) {
          const reply = await ask(`${name}=${value}`);
          expect([reply.status, reply.body.code], value).toEqual([400, "VALIDATION_ERROR"]);
          expect(reply.body.details).toMatch(new RegExp(`^${name}: `));
        }
        const far = await ask(`${name}=${name === "page" ? "1000000" : "9007199254740993"}`);
        // The list across events has a limit that it says (contract 7.13).
        expect(name === "limit" ? [row.status, 400] : [row.status], far.text).toContain(far.status);
        if (far.body?.pagination) expect(far.body.pagination.limit).toBeLessThanOrEqual(100);
      }
    },
  );

  const HOSTILE = [
    "%%",
    "__",
    "\\\\",
    "''",
    '";--',
    "'; drop table users; --",
    "🪷🪷",
    "$1::int",
    "(((",
    "[a-z",
  ];
  test.each(ofEachKind("search"))(
    "%s is searched for any text, of 200 characters at most",
    async (_, row) => {
      const ask = await buildQuerySender(row);
      for (const search of ["%00", "%ff", "%ED%A0%80", "x".repeat(201), "x".repeat(10_000)]) {
        const reply = await ask(`search=${search}`);
        expect([reply.status, reply.body.code], search.slice(0, 20)).toEqual([400, "VALIDATION_ERROR"]);
      }
      for (const search of [...HOSTILE, HOSTILE.join(" ")]) {
        const reply = await ask(`search=${encodeURIComponent(search)}`);
        expect(reply.status, `${search}: ${reply.text}`).toBe(row.status);
      }
    },
  );
});

const prepared = new Map<Row, ReturnType<typeof caller.prepare>>();

/** Returns the row with one example for all requests, of which at most the last tests send one that succeeds. */
function prepareOnce(row: Row): ReturnType<typeof caller.prepare> {
  const made = prepared.get(row) ?? caller.prepare(row);
  prepared.set(row, made);
  return made;
}

describe("characters that can't be stored", () => {
  const cells = JSON_ROWS.filter((row) => row.example);

  const POISONS = ["\u0000", "\ud800", "\udfff"];
  test.each(addRowTitles(cells))("%s refuses NUL and half characters in every text", async (_, row) => {
    const prepared = await prepareOnce(row);
    const texts = Object.entries(plain(prepared.example().body)).filter(
      ([, value]) => typeof value === "string",
    );
    for (const [field, value] of texts)
      for (const poison of POISONS) {
        const reply = await caller.call(prepared, caller.allowed(row), {
          body: (body) => ({ ...plain(body), [field]: `${value}${poison}` }),
        });
        // A password to sign in with may be any text; this one is wrong.
        const expected = row.path === "/api/auth/login" && field === "password" ? 401 : 400;
        expect(reply.status, `${field}: ${reply.text}`).toBe(expected);
      }
  });
});

/** The fields of an example, whichever way it would travel. */
const plain = (body: unknown): Record<string, unknown> =>
  body instanceof FormData ? Object.fromEntries(body.entries()) : (body as Record<string, unknown>);

describe("values of another kind", () => {
  const KINDS = [null, true, 7, [], {}, ["a"], { contains: "@" }, { not: "" }];
  /** Always what a query of the database would read as a condition, and two of the others in turn. */
  const kindsFor = (at: number) => [0, 3].map((more) => KINDS[(at + more) % 6]).concat([KINDS[6 + (at % 2)]]);

  /** A list without entries may stand where a list belongs. */
  const isOfSameKind = (sent: unknown, value: unknown): boolean =>
    Array.isArray(sent) && Array.isArray(value)
      ? value.length === 0
      : ["boolean", "number"].includes(typeof sent) && typeof sent === typeof value;

  test.each(addRowTitles(JSON_ROWS.filter((row) => row.example)))(
    "%s takes no object where a text belongs",
    async (_, row) => {
      const prepared = await prepareOnce(row);
      const fields = Object.entries(plain(prepared.example().body));
      for (const [at, [field, sent]] of fields.entries())
        for (const value of kindsFor(at + JSON_ROWS.indexOf(row))) {
          if (sent === value || isOfSameKind(sent, value)) continue;
          const reply = await caller.call(prepared, caller.allowed(row), {
            body: (body) => ({ ...plain(body), [field]: value }),
          });
          // Null empties what may be empty, and then the request is a good one.
          const fine = value === null ? [400, row.status, 401] : [400];
          expect(fine, `${field} = ${JSON.stringify(value)}: ${reply.text}`).toContain(reply.status);
        }
    },
  );
});

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
