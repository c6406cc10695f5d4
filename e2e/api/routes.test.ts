import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  groupByOperation,
  keepOnePerOperation,
  listDeclaredRoutes,
  METHODS,
} from "#e2e/api/declared-routes.ts";
import type { Role } from "#e2e/api/roles.ts";
import { listAliases, Caller, fillPath, addRowTitles, ROWS, type Row } from "#e2e/api/routes.ts";
import { sendRawRequest } from "#e2e/support/client.ts";
import { API_CONTENT_POLICY } from "#e2e/support/header-invariants.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

const heed = await shareService();
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);

const readText = (file: string) => fs.readFileSync(path.join(PROJECT_ROOT, file), "utf8");
const PATHS = [...new Set(ROWS.map((row) => row.path))];
const methodsOf = (path: string) =>
  METHODS.filter((method) => ROWS.some((row) => row.path === path && row.method === method));
const title = (row: { method: string; path: string }) => `${row.method} ${row.path}`;

describe("the table of routes", () => {
  test("has a row for every route file and method, and every row has its route", () => {
    expect(ROWS.map(title).sort()).toEqual(listDeclaredRoutes().map(title).sort());
  });

  test("has, like the table behind the OpenAPI document, the paths that Next serves", () => {
    const patterns = Object.values(
      JSON.parse(readText(".next/app-path-routes-manifest.json")) as Record<string, string>,
    );
    const served = patterns
      .filter((pattern) => pattern.startsWith("/api/") && !pattern.includes("[..."))
      .map((pattern) => pattern.replaceAll(/\[(\w+)\]/g, ":$1"));
    const table = readText("app/api/generated/routes.ts").matchAll(/path: "([^"]+)"/g);
    const paths = [...table].map(([, path]) => path);
    // The document doesn't describe itself, and metrics are no operation.
    expect([...paths, "/api/openapi.json"].toSorted()).toEqual(served.toSorted());
    expect([...PATHS, "/api/metrics"].toSorted()).toEqual(served.toSorted());
  });

  test("has a row for each operation, and some by id and by slug", () => {
    const distinctRows = keepOnePerOperation(ROWS);
    expect(distinctRows.length).toBe(new Set(listDeclaredRoutes().map(({ operation }) => operation)).size);
    expect(distinctRows.length).toBeGreaterThan(200);
    expect(distinctRows.length).toBeLessThan(ROWS.length);
  });
});

describe("the other paths of an endpoint", () => {
  type Aliased = [name: string, row: Row, alias: string];
  const aliased = ROWS.flatMap((row) =>
    listAliases(row).map((alias): Aliased => [`${row.method} ${alias}`, row, alias]),
  );
  const isFile = ({ path }: Row) => /\/(download|original|export|qr|logo)$/.test(path);
  const prefixOf = (path: string) => path.replace(/^(\/events\/(?:slug)?).*/, "$1");
  /** Each other prefix leads to all paths below (path-aliases.ts): one of each kind of request and response. */
  const ofEachKind = [
    ...Map.groupBy(aliased, ([, row, alias]) =>
      [row.method, row.status, row.body, isFile(row), prefixOf(alias)].join(),
    ).values(),
  ].flatMap((alike) => alike.slice(0, 1));

  test.each(ofEachKind.filter(([, row]) => row.method === "GET"))(
    "%s has the same response",
    async (_, row, alias) => {
      const role = caller.allowed(row);
      const prepared = await caller.prepare(row, role);
      const first = await caller.call(prepared, role);
      const second = await caller.call(prepared, role, { path: alias });
      expect(second.status).toBe(first.status);
      expect(settled(second.body)).toEqual(settled(first.body));
      expect(second.headers["content-type"]).toBe(first.headers["content-type"]);
    },
  );

  test.each(ofEachKind.filter(([, row]) => row.method !== "GET"))(
    "%s does the same",
    async (_, row, alias) => {
      const reply = await caller.call(row, caller.allowed(row), { path: alias });
      expect(reply.status, reply.text).toBe(row.status);
    },
  );

  test("ask for a session, too, each of them", async () => {
    const closed = aliased.filter(([, row]) => !row.who.includes("nobody"));
    expect(closed.length).toBeGreaterThan(100);
    await world.nobody.expectNothingWritten("without a session", async () => {
      for (const [name, row, alias] of closed) {
        const reply = await world.nobody.send(row.method, caller.path({ ...row, path: alias }));
        expect(reply.status, name).toBe(401);
      }
    });
  });
});

/** Each example may make a report of its own; what differs then are ids and times. */
const settled = (body: unknown): unknown =>
  body === undefined
    ? undefined
    : JSON.parse(
        JSON.stringify(body).replace(
          /"[0-9a-f-]{36}"|"\d{4}-\d\d-\d\dT[^"]*"|(?<="(?:draft|receipt)":)"[^"]*"/g,
          '"…"',
        ),
      );

describe("a wrong method", () => {
  /** Every route file declares all methods in the same way (declared-routes.ts): one path for each set of methods. */
  const OF_EACH_KIND = [...Map.groupBy(PATHS, (path) => methodsOf(path).join()).values()].map(
    ([path = ""]) => path,
  );

  test.each([...OF_EACH_KIND, "/api/health/live"])(
    "%s responds with 405 and names the right ones",
    async (path) => {
      const right = methodsOf(path);
      for (const method of METHODS.filter((one) => !right.includes(one))) {
        const reply = await world.as(world.sam).send(method, fillPath(path, caller.params));
        expect(reply.status, method).toBe(405);
        expect(reply.body.code).toBe("METHOD_NOT_ALLOWED");
        const allowed = String(reply.headers.allow).split(", ").sort();
        expect(allowed).toEqual([...right, ...(right.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort());
      }
    },
  );

  test.each(OF_EACH_KIND)("OPTIONS %s opens nothing to other sites", async (path) => {
    const headers = {
      origin: "https://evil.test",
      "access-control-request-method": methodsOf(path)[0],
    };
    const address = fillPath(path, caller.params);
    const reply = await world.as(world.sam).send("OPTIONS", address, undefined, { headers });
    expect(reply.status).toBe(204);
    expect(Object.keys(reply.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
  });
});

describe("what is created with 201", () => {
  test("an anonymous report is read in its mailbox, never by its id", async () => {
    const report = { title: "A report without a name", description: "What happened.", anonymous: true };
    const reply = await world.as(world.maya).post(`/api/events/${world.event.id}/incidents`, report);
    expect([reply.status, reply.headers.location]).toEqual([201, "/api/mailbox"]);
  });
});

describe("an id that names nothing", () => {
  const UNUSABLE = [
    "abc",
    "a".repeat(36),
    "00000000-0000-0000-0000-000000000000",
    "x".repeat(5000),
    "%2F",
    "..%2Fx",
    "%00",
    "a%0Ab",
    "%F0%9F%98%80",
    "%ff",
  ];
  type Cell = [row: Row, name: string];
  const namesOf = ({ path }: Row) => [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const cells = ROWS.flatMap((row) => namesOf(row).map((name): Cell => [row, name]));
  /** All routes parse parameters with the same code: one route for each name gets every unusable value, the others two. */
  const firstOf = new Map([...cells].reverse().map(([row, name]) => [name, title(row)]));
  const valuesFor = (row: Row, name: string) =>
    firstOf.get(name) === title(row) ? UNUSABLE : ["abc", "00000000-0000-0000-0000-000000000000"];

  /** An operation's paths by id and by slug take the same example; the first of them has the most ids. */
  const idsOf = (row: Row) => namesOf(row).filter((name) => name.endsWith("Id"));
  const groups = groupByOperation(ROWS.filter((row) => namesOf(row).length > 0)).map((rows) =>
    rows.toSorted((one, other) => idsOf(other).length - idsOf(one).length),
  );

  /** One function finds the records that a path names (lib/operation), and those of the same names are found alike. */
  const ofEachKind = [
    ...Map.groupBy(
      groups,
      (rows) => `${rows[0]?.method === "GET"} ${namesOf(rows[0] as Row).join()}`,
    ).values(),
  ].flatMap(([rows]) => rows?.[0] ?? []);

  test("there are many kinds of paths", () => expect(ofEachKind.length).toBeGreaterThan(25));

  test.each(addRowTitles(ofEachKind))(
    "%s, and by other names: 404; and capitals mean the same",
    async (_, row) => {
      const prepared = await caller.prepare(row);
      const paths = groups.find(([first]) => first === row) ?? [];
      const role = caller.allowed(row);
      await world.nobody.expectNothingWritten("an id that names nothing", async () => {
        for (const { path } of paths) await expectUnknown({ ...prepared, path }, role);
      });
      const ids = idsOf(row);
      if (ids.length === 0) return;
      const known = { ...caller.params, ...prepared.example().params };
      const capitals = ids.map((name) => [name, known[name]?.toUpperCase() ?? ""]);
      const reply = await caller.call(prepared, role, { params: Object.fromEntries(capitals) });
      expect(reply.status, reply.text).toBe(row.status);
    },
  );

  /** Each parameter of the path in turn names nothing. */
  async function expectUnknown(row: Row, role: Role): Promise<void> {
    for (const name of namesOf(row))
      for (const value of valuesFor(row, name)) {
        const reply = await caller.call(row, role, { params: { [name]: value } });
        // Removing a pin or a mark that isn't there is no error: it is gone, as asked.
        const idempotent =
          /^\/api\/users\/me\/(pins|unread)\//.test(row.path) && value.startsWith("00000000");
        const what = `${row.path} ${name} ${value.slice(0, 40)}: ${reply.text}`;
        expect(reply.status, what).toBe(idempotent ? 204 : 404);
        if (!idempotent) expect(reply.body.code, what).toBe("NOT_FOUND");
      }
  }
});

describe("a path that isn't there", () => {
  test.each([
    "/api",
    "/api/auth/nothing/here",
    "/events/slug",
    "/session/nothing",
    "/API/session",
    "/Session",
    "//api/session",
    "/%61pi/session",
    "/api/auth%2Fsession",
    "/api/organizations/me.rsc",
  ])("GET %s is 404, as JSON", async (unknown) => {
    const reply = await world.as(world.sam).get(unknown);
    expect([reply.status, reply.body?.code]).toEqual([404, "NOT_FOUND"]);
  });

  test.each([
    "/api/./session",
    "/api/auth/%2E%2e/session",
    "/api/auth%2f..%2fsession",
    "/api/auth\\..\\session",
    "/events/../api/session",
  ])("GET %s, a detour, is 404", async (detour) => {
    const reply = await sendRawRequest(heed.url, { method: "GET", path: detour, headers: {} });
    expect([reply.status, reply.body?.code]).toEqual([404, "NOT_FOUND"]);
  });

  // These lead out of the API before anything is looked up.
  test.each([
    "/api/../uploads/x",
    "/api/%2e%2e/uploads/x",
    "/api/..%2f..%2fetc/passwd",
    "/api/events/slug/..%2F..%2F..%2F..%2Fetc%2Fpasswd",
    "/events/../data/secrets",
  ])("GET %s is 404, with the headers of the API", async (detour) => {
    const headers = { cookie: world.as(world.sam).cookie };
    const reply = await sendRawRequest(heed.url, { method: "GET", path: detour, headers });
    expect([reply.status, reply.body?.code]).toEqual([404, "NOT_FOUND"]);
    expect(reply.headers["content-security-policy"]).toBe(API_CONTENT_POLICY);
  });

  test("GET /api/metrics is 404 without METRICS_TOKEN", async () => {
    expect((await heed.visitor().get("/api/metrics")).status).toBe(404);
  });

  test("GET /uploads/x is 404", async () => {
    const headers = { cookie: world.as(world.sam).cookie };
    const reply = await sendRawRequest(heed.url, { method: "GET", path: "/uploads/x", headers });
    expect(reply.status).toBe(404);
  });

  test.each([
    "/api/session/?a=1",
    "/api//session",
    "/api/organizations/me/",
    "/api/auth\\session",
    "/events/",
    "/session//",
  ])("%s has a slash too many and is 404, never a redirect", async (spelling) => {
    for (const method of ["GET", "POST", "PUT", "DELETE"]) {
      const reply = await sendRawRequest(heed.url, { method, path: spelling, headers: {} });
      expect([reply.status, reply.body?.code, reply.headers.location]).toEqual([404, "NOT_FOUND", undefined]);
    }
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("%s to it is 404, too", async (method) => {
    const reply = await world.as(world.sam).send(method, "/api/nothing/at/all", { some: "body" });
    expect([reply.status, reply.body.code]).toEqual([404, "NOT_FOUND"]);
  });
});

describe("headers that speak to the framework", () => {
  const HEADERS: Record<string, string>[] = [
    { "x-middleware-subrequest": "proxy:proxy:proxy:proxy:proxy" },
    { "next-router-prefetch": "1" },
    { rsc: "1" },
    { "next-action": "x" },
    { "x-forwarded-host": "evil.test", "x-forwarded-proto": "https" },
    { "x-http-method-override": "DELETE" },
  ];

  const all: Record<string, string> = Object.assign({}, ...HEADERS);
  const SETS = [...HEADERS, all];
  /** The framework reads them before any route: three rows of each method stand for the others. */
  const ofEachMethod = (rows: Row[]) =>
    [...Map.groupBy(rows, ({ method }) => method).values()].flatMap((alike) => alike.slice(0, 3));
  const closed = ROWS.filter(({ who }) => !who.includes("nobody"));
  const toMembers = ofEachMethod(
    closed.filter(
      ({ path, who }) => /:(organizationId|orgSlug|eventId|slug)\b/.test(path) && !who.includes("nora"),
    ),
  );

  test("open nothing to a visitor", async () => {
    for (const row of ofEachMethod(closed.filter(({ method }) => method === "GET")))
      for (const headers of SETS) {
        const reply = await world.nobody.get(caller.path(row), { headers });
        expect(reply.status, `${row.path} ${JSON.stringify(headers)} ${reply.text}`).toBe(401);
      }
  });

  test("open nothing to who is signed in without a role", async () => {
    const nora = world.as(world.nora);
    await nora.expectNothingWritten("nora", async () => {
      for (const row of toMembers) {
        const ask = (headers?: Record<string, string>) =>
          nora.send(row.method, caller.path(row), undefined, { ...(headers && { headers }) });
        const without = await ask();
        expect([403, 404], title(row)).toContain(without.status);
        for (const headers of SETS) {
          const reply = await ask(headers);
          const what = `${title(row)} ${JSON.stringify(headers)}`;
          expect([reply.status, reply.body], what).toEqual([without.status, without.body]);
        }
      }
    });
  });
});
