import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { listAliases, Caller, titleRows, ROWS, type Method, type Row } from "#e2e/api/routes.ts";
import { sendRawRequest } from "#e2e/support/client.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";

const heed = await shareService();
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);

const METHODS: Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const PATHS = [...new Set(ROWS.map((row) => row.path))];
const methodsOf = (path: string) =>
  METHODS.filter((method) => ROWS.some((row) => row.path === path && row.method === method));
const title = (row: { method: string; path: string }) => `${row.method} ${row.path}`;

describe("the table of routes", () => {
  test("has a row for every route file and method, and every row has its route", () => {
    expect(ROWS.map(title).sort()).toEqual(declaredRoutes());
  });
});

/** Methods and paths as the route files declare them: `createRouteHandlers({ GET: …, PATCH: … })`. */
function declaredRoutes(): string[] {
  const root = path.resolve(import.meta.dirname, "../../app/api");
  const files = fs.readdirSync(root, { recursive: true }).map(String);
  const routes = files.filter(
    (file) => path.basename(file) === "route.ts" && !file.includes("[...") && file !== "route.ts",
  );
  return routes.flatMap((file) => declaredIn(path.join(root, file), pathOf(file))).sort();
}

const pathOf = (file: string) =>
  `/api/${path
    .dirname(file)
    .replaceAll(path.sep, "/")
    .replace(/\[(\w+)\]/g, ":$1")}`;

function declaredIn(file: string, route: string): string[] {
  const source = fs.readFileSync(file, "utf8");
  const operations = /createRouteHandlers\(\{([^}]*)\}\)/.exec(source)?.[1];
  // Those of supervisors and of Prometheus are no operations: they need neither session nor database.
  if (route === "/api/health/live") return [`GET ${route}`];
  if (operations === undefined && route === "/api/metrics") return [];
  const methods = METHODS.filter((method) => new RegExp(`\\b${method}:`).test(operations ?? ""));
  expect(methods, `${file} declares its methods with createRouteHandlers({ … })`).not.toEqual([]);
  return methods.map((method) => `${method} ${route}`);
}

describe("the other paths of an endpoint", () => {
  type Aliased = [name: string, row: Row, alias: string];
  const aliased = ROWS.flatMap((row) =>
    listAliases(row).map((alias): Aliased => [`${row.method} ${alias}`, row, alias]),
  );

  test.each(aliased.filter(([, row]) => row.method === "GET"))(
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

  test.each(aliased.filter(([, row]) => row.method !== "GET"))("%s does the same", async (_, row, alias) => {
    const reply = await caller.call(row, caller.allowed(row), { path: alias });
    expect(reply.status, reply.text).toBe(row.status);
  });

  test.each(aliased.filter(([, row]) => !row.who.includes("nobody")))(
    "%s asks for a session, too",
    async (_, row, alias) => {
      expect((await world.nobody.send(row.method, caller.path({ ...row, path: alias }))).status).toBe(401);
    },
  );
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
  test.each(PATHS)("%s responds with 405 and names the right ones", async (path) => {
    const right = methodsOf(path);
    const row = ROWS.find((one) => one.path === path);
    if (!row) throw new Error(path);
    for (const method of METHODS.filter((one) => !right.includes(one))) {
      const reply = await world.as(world.sam).send(method, caller.path(row));
      expect(reply.status, method).toBe(405);
      expect(reply.body.code).toBe("METHOD_NOT_ALLOWED");
      const allowed = String(reply.headers.allow).split(", ").sort();
      expect(allowed).toEqual([...right, ...(right.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort());
    }
  });

  test.each(["TRACE", "PROPFIND", "FROBNICATE"])("%s is 405 as well", async (method) => {
    const reply = await world.as(world.sam).send(method, "/api/organizations/me");
    expect([reply.status, reply.body.code]).toEqual([405, "METHOD_NOT_ALLOWED"]);
    expect(reply.headers.allow).toContain("GET");
  });

  test.each(PATHS)("OPTIONS %s opens nothing to other sites", async (path) => {
    const row = ROWS.find((one) => one.path === path);
    if (!row) throw new Error(path);
    const headers = { origin: "https://evil.test", "access-control-request-method": row.method };
    const reply = await world.as(world.sam).send("OPTIONS", caller.path(row), undefined, { headers });
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
  type Cell = [title: string, row: Row, name: string];
  const cells = ROWS.flatMap((row) =>
    [...row.path.matchAll(/:(\w+)/g)].map(([, name = ""]): Cell => [`${title(row)}, ${name}`, row, name]),
  );

  /** All routes parse parameters with the same code: one route for each name gets every unusable value, the others three. */
  const withAllValues = new Set(
    cells.filter((cell, at) => cells.findIndex(([, , name]) => name === cell[2]) === at),
  );

  test.each(
    cells.map((cell): [...Cell, string[]] => [
      ...cell,
      withAllValues.has(cell) ? UNUSABLE : UNUSABLE.slice(0, 3),
    ]),
  )("%s: 404", async (_, row, name, unusable) => {
    const prepared = await caller.prepare(row);
    for (const value of unusable) {
      const reply = await caller.call(prepared, caller.allowed(row), { params: { [name]: value } });
      // Removing a pin or a mark that isn't there is no error: it is gone, as asked.
      const idempotent = /^\/api\/users\/me\/(pins|unread)\//.test(row.path) && value.startsWith("00000000");
      expect(reply.status, `${value.slice(0, 40)}: ${reply.text}`).toBe(idempotent ? 204 : 404);
      if (!idempotent) expect(reply.body.code).toBe("NOT_FOUND");
    }
  });

  const ids = cells.filter(([, , name]) => name.endsWith("Id"));
  test.each(ids)("%s: capitals mean the same", async (_, row, name) => {
    const prepared = await caller.prepare(row);
    const value = prepared.example().params?.[name] ?? caller.params[name] ?? "";
    const reply = await caller.call(prepared, caller.allowed(row), {
      params: { [name]: value.toUpperCase() },
    });
    // Invites and files that only an example could make are absent in either spelling.
    expect(reply.status, reply.text).toBe(row.status);
  });
});

describe("a path that isn't there", () => {
  test.each([
    "/api",
    "/api/nothing",
    "/api/auth",
    "/api/auth/nothing/here",
    "/api/events",
    "/events",
    "/events/slug",
    "/session/nothing",
    "/api/session/nothing",
    "/api/organizations/slug",
    "/api/users",
    "/API/session",
    "/api/Session",
    "/api/SESSION",
    "/Session",
    "//api/session",
    "/%61pi/session",
    "/api/auth%2Fsession",
    "/api/events/.rsc",
    "/api/organizations/me.rsc",
  ])("GET %s is 404, as JSON", async (unknown) => {
    const reply = await world.as(world.sam).get(unknown);
    expect([reply.status, reply.body?.code]).toEqual([404, "NOT_FOUND"]);
  });

  test.each([
    "/api/./session",
    "/api/auth/../session",
    "/api/%2e/session",
    "/api/auth/%2E%2e/session",
    "/api/auth%2f..%2fsession",
    "/api/auth\\..\\session",
    "/events/../api/session",
    "/session/.",
    "/api/session/x/..",
  ])("GET %s, a detour, is 404", async (detour) => {
    const reply = await sendRawRequest(heed.url, { method: "GET", path: detour, headers: {} });
    expect([reply.status, reply.body?.code]).toEqual([404, "NOT_FOUND"]);
  });

  // These lead out of the API before anything is looked up.
  test.each([
    "/api/../uploads/x",
    "/api/%2e%2e/uploads/x",
    "/api/..%2f..%2fetc/passwd",
    "/uploads/x",
    "/events/../data/secrets",
  ])("GET %s is 404", async (detour) => {
    const headers = { cookie: world.as(world.sam).cookie };
    const reply = await sendRawRequest(heed.url, { method: "GET", path: detour, headers });
    expect(reply.status).toBe(404);
  });

  test.each([
    "/api/",
    "/api/session/",
    "/api/session/?a=1",
    "/api//session",
    "/api/auth//session",
    "/api/organizations/me/",
    "/api/health/",
    "/api/auth\\session",
    "/events/",
    "/events//slug",
    "/session/",
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

  test.each(HEADERS)("%o opens nothing", async (headers) => {
    const protectedRows = ROWS.filter((row) => row.method === "GET" && !row.who.includes("nobody"));
    for (const row of protectedRows) {
      const reply = await world.nobody.get(caller.path(row), { headers });
      expect(reply.status, `${row.path} ${reply.text}`).toBe(401);
    }
  });

  const closed = ROWS.filter(
    ({ path, who }) => /:(organizationId|orgSlug|eventId|slug)\b/.test(path) && !who.includes("nora"),
  );

  test.each(titleRows(closed))(
    "%s opens by none of them to who is signed in without a role",
    async (_, row) => {
      const ask = (headers?: Record<string, string>) =>
        world.as(world.nora).send(row.method, caller.path(row), undefined, { ...(headers && { headers }) });
      const without = await ask();
      expect([403, 404]).toContain(without.status);
      for (const headers of HEADERS) {
        const reply = await ask(headers);
        expect([reply.status, reply.body], JSON.stringify(headers)).toEqual([without.status, without.body]);
      }
    },
  );
});
