import { describe, expect, test } from "vitest";
import { Caller, named, ROWS, type Row } from "#e2e/api/routes.ts";
import type { Reply } from "#e2e/support/client.ts";
import { startService } from "#e2e/support/service.ts";
import { World } from "#e2e/support/world.ts";

/** What no route may stumble over (security checks VA1 to VA5, VA8). */

const heed = await startService();
const world = await World.build(heed);
const caller = await Caller.over(world);

/** Reports take JSON as well as multipart (rulings R4). */
const JSON_ROWS = ROWS.filter(
  ({ method, path, body }) => body === "json" || (method === "POST" && path.endsWith("/incidents")),
);

async function sendRaw(row: Row, raw: string | Buffer): Promise<Reply> {
  const client = await caller.client(row, caller.allowed(row));
  return client.send(row.method, caller.path(row), undefined, {
    raw,
    headers: { "content-type": "application/json" },
  });
}

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
  test.each(named(JSON_ROWS))("%s refuses it", async (_, row) => {
    for (const [what, raw] of BROKEN) {
      const reply = await sendRaw(row, raw);
      expect(reply.status, `${what}: ${reply.text}`).toBe(400);
      expect(["INVALID_JSON", "VALIDATION_ERROR"], what).toContain(reply.body.code);
    }
  });
});

describe("a body that is too large", () => {
  test.each(named(JSON_ROWS))("%s refuses it", async (_, row) => {
    const reply = await sendRaw(row, JSON.stringify({ filler: "x".repeat(101 * 1024) }));
    expect([reply.status, reply.body.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
  });

  test("of unknown length is refused while it streams", async () => {
    const raw = `{"email":"${"x".repeat(300_000)}`;
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
    const limit = 100 * 1024;
    expect((await world.nobody.post("/api/auth/login", undefined, { raw: of(limit), headers })).status).toBe(
      401,
    );
    expect(
      (await world.nobody.post("/api/auth/login", undefined, { raw: of(limit + 1), headers })).status,
    ).toBe(413);
  });
});

describe("characters that can't be stored", () => {
  const cells = JSON_ROWS.filter((row) => row.example);

  test.each(named(cells))("%s refuses NUL and half characters in every text", async (_, row) => {
    for (const poison of ["\u0000", "\ud800", "\udfff"]) {
      for (const field of await textsOf(row)) {
        const reply = await caller.call(row, caller.allowed(row), {
          body: (body) => ({ ...plain(body), [field]: `${plain(body)[field]}${poison}` }),
        });
        // A password to sign in with may be any text; this one is wrong.
        const expected = row.path === "/api/auth/login" && field === "password" ? 401 : 400;
        expect(reply.status, `${field}: ${reply.text}`).toBe(expected);
      }
    }
  });

  async function textsOf(row: Row): Promise<string[]> {
    const { body } = (await row.example?.(world, caller.allowed(row))) ?? {};
    return Object.entries(plain(body)).flatMap(([name, value]) => (typeof value === "string" ? [name] : []));
  }
});

/** The fields of an example, whichever way it would travel. */
const plain = (body: unknown): Record<string, unknown> =>
  body instanceof FormData ? Object.fromEntries(body.entries()) : (body as Record<string, unknown>);

describe("values of another kind", () => {
  const KINDS = [null, true, 7, [], {}, ["a"], { contains: "@" }, { not: "" }];

  test.each(named(JSON_ROWS.filter((row) => row.example)))(
    "%s takes no object where a text belongs",
    async (_, row) => {
      const example = (await row.example?.(world, caller.allowed(row))) ?? {};
      const fixed = { ...row, example: () => example };
      for (const field of Object.keys(plain(example.body))) {
        for (const value of KINDS) {
          const sent = plain(example.body)[field];
          if (sent === value || (typeof sent === "boolean" && typeof value === "boolean")) continue;
          const reply = await caller.call(fixed, caller.allowed(row), {
            body: (body) => ({ ...plain(body), [field]: value }),
          });
          // Null empties what may be empty, and then the request is a good one.
          const fine = value === null ? [400, row.status, 401] : [400];
          expect(fine, `${field} = ${JSON.stringify(value)}: ${reply.text}`).toContain(reply.status);
        }
      }
    },
  );
});

describe("a prototype in a body", () => {
  test.each(named(JSON_ROWS.filter((row) => row.example && !row.slow)))(
    "%s is not impressed",
    async (_, row) => {
      for (const poison of [
        '"__proto__":{"isAdmin":true,"polluted":1}',
        '"constructor":{"prototype":{"polluted":1}}',
      ]) {
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
      }
      const session = await world.as(world.nora).get("/api/session");
      expect(session.text).not.toMatch(/polluted|isAdmin/);
      expect(session.body.user.roles).toEqual({ system: [], organizations: [], events: [] });
    },
  );
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

  test.each(named(JSON_ROWS.filter((row) => row.example && !row.slow)))(
    "%s takes from nobody",
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

  test("and nothing of it is in any table", async () => {
    const tables = await heed.sql<{ name: string }>(
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
    );
    expect(tables.length).toBeGreaterThan(30);
    for (const { name } of tables)
      expect(await heed.rows(`${name} t`, "t::text ~ '0bad0bad|1999-09-09'"), name).toBe(0);
  });

  const admins = () => heed.rows("users", "system_admin");
});

describe("the service afterwards", () => {
  test("is well", async () => {
    expect((await world.nobody.get("/api/health")).body).toEqual({ status: "ok", database: "ok" });
    expect(heed.process.output()).not.toContain("unexpected error");
  });
});
