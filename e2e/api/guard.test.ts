import { describe, expect, test } from "vitest";
import { listAliases, Caller, ROWS, type Row } from "#e2e/api/routes.ts";
import { sendRawRequest, type Client } from "#e2e/support/client.ts";
import { shareService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** The cross-site guard on everything that changes something (contract 3.12). */

const heed = await shareService();
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);

const UNSAFE = ROWS.filter((row) => row.method !== "GET");

const FOREIGN: Record<string, string>[] = [
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "" },
  { "sec-fetch-site": "cross-site", origin: "http://localhost" },
  { origin: "https://evil.test" },
  { origin: "null" },
  { origin: "http://localhost:1" },
];

/** The client of who may send the requests of a row, or a visitor. */
function clientFor(row: Row): Client {
  const role = caller.allowed(row);
  return role === "nobody" ? world.nobody : world.as(world[role]);
}

describe("from another site", () => {
  const paths = UNSAFE.flatMap((row) => [row.path, ...listAliases(row)].map((path) => ({ row, path })));
  const isFirst = (row: Row) => row === UNSAFE.find(({ method }) => method === row.method);

  // All roles are asked by pages of our own in access.test.ts.
  test("everything that changes something is refused, by each of its paths", async () => {
    expect(paths.length).toBeGreaterThan(UNSAFE.length);
    await world.nobody.expectNothingWritten("from another site", async () => {
      for (const [at, { row, path }] of paths.entries()) {
        // The guard knows no route: one of each method gets all of them, the others one each.
        const sites = isFirst(row) ? FOREIGN : [FOREIGN[at % FOREIGN.length] ?? {}];
        for (const headers of sites) {
          const address = caller.path({ ...row, path });
          const reply = await clientFor(row).send(row.method, address, undefined, { headers });
          const what = `${row.method} ${path} ${JSON.stringify(headers)}`;
          expect([reply.status, reply.body.code], what).toEqual([403, "CSRF_REJECTED"]);
        }
      }
    });
  });
});

describe("another spelling of a path", () => {
  const SPELLINGS = [
    "/API/auth/logout",
    "/api/auth/LOGOUT",
    "/api/auth/logout/",
    "/api//auth/logout",
    "//api/auth/logout",
    "/api/auth/%6cogout",
    "/%61pi/auth/logout",
    "/api%2Fauth%2Flogout",
    "/api/./auth/logout",
    "/api/%2e/auth/logout",
    "/api/auth/x/../logout",
    "/api/auth/x/%2e%2e/logout",
    "/events/../api/auth/logout",
    "/api/auth/logout;x",
    "/api/auth/logout%00",
    "/api/auth/logout.rsc",
  ];

  test("signs nobody out, from our own pages or another site", async () => {
    const client = await world.device(world.nora);
    for (const spelling of SPELLINGS)
      for (const site of ["cross-site", "same-origin"]) {
        const headers = { cookie: client.cookie, "sec-fetch-site": site };
        const reply = await sendRawRequest(heed.url, { method: "POST", path: spelling, headers });
        expect([308, 403, 404, 405], spelling).toContain(reply.status);
        expect((await client.get("/api/session")).body.authenticated, spelling).toBe(true);
      }
  });

  test("shows nothing to a visitor", async () => {
    const of = (slug: string) => `/api/organizations/slug/${slug}`;
    const { slug } = world.organization;
    for (const spelling of [
      of(slug).toUpperCase(),
      of(`${slug}/`),
      of(`%${slug.charCodeAt(0).toString(16)}${slug.slice(1)}`),
      of(`x/../${slug}`),
      of(`x/%2e%2e/${slug}`),
      of(`${slug}.rsc`),
      of(`${slug}%2F`),
      `/${of(slug)}`,
    ]) {
      const reply = await sendRawRequest(heed.url, { method: "GET", path: spelling, headers: {} });
      expect([308, 401, 404], spelling).toContain(reply.status);
      expect(reply.text).not.toContain(world.organization.name);
    }
  });
});

describe("the type of a body", () => {
  const TYPES = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "text/json",
    "application/octet-stream",
    undefined,
  ];
  type Headers = Record<string, string | undefined>;
  const OTHER_THAN_JSON: Headers[] = [
    ...[...TYPES, "multipart/form-data; boundary=x", "application/json; charset=utf-16"].map((type) => ({
      "content-type": type,
    })),
    { "content-type": "application/json", "content-encoding": "gzip" },
  ];
  const OTHER_THAN_FORM: Headers[] = TYPES.map((type) => ({ "content-type": type }));

  /** One reader takes the JSON of all routes, and one their forms: the first route of each gets every type. */
  const refused = (["json", "multipart"] as const).flatMap((kind) => {
    const others = kind === "json" ? OTHER_THAN_JSON : OTHER_THAN_FORM;
    const row = UNSAFE.find(({ body }) => body === kind);
    return row ? [[`${row.method} ${row.path}`, row, others] as const] : [];
  });

  test.each(refused)("%s refuses another one", async (_, row, others) => {
    const cookie = row.opensMailbox ? (await row.example?.(world, "nobody"))?.cookie : undefined;
    const raw = JSON.stringify({ state: "closed", title: "A title that is fine" });
    for (const headers of others) {
      const reply = await clientFor(row).send(row.method, caller.path(row), undefined, {
        raw,
        headers: { ...headers, ...(cookie && { cookie }) },
      });
      expect([reply.status, reply.body.code], JSON.stringify(headers)).toEqual([
        415,
        "UNSUPPORTED_MEDIA_TYPE",
      ]);
    }
  });
});
