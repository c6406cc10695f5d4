import { describe, expect, test } from "vitest";
import { aliasesOf, Caller, named, ROWS, type Row } from "#e2e/api/routes.ts";
import { startService } from "#e2e/support/service.ts";
import { World } from "#e2e/support/world.ts";

/** The cross-site guard on everything that changes something (rulings R3, security checks CS). */

const heed = await startService();
const world = await World.build(heed);
const caller = await Caller.over(world);

const UNSAFE = ROWS.filter((row) => row.method !== "GET");

describe.each(named(UNSAFE))("%s", (_, row) => {
  test.each([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "" },
    { "sec-fetch-site": "cross-site", origin: "http://localhost" },
    { origin: "https://evil.test" },
    { origin: "null" },
    { origin: "http://localhost:1" },
  ])("refuses %o", async (headers) => {
    const client = await caller.client(row, caller.allowed(row));
    for (const path of [
      caller.path(row),
      ...aliasesOf(row).map((alias) => caller.path({ ...row, path: alias })),
    ]) {
      const reply = await client.send(row.method, path, undefined, { headers });
      expect([reply.status, reply.body.code], path).toEqual([403, "CSRF_REJECTED"]);
    }
  });

  test("takes what comes from our own pages, and from no browser", async () => {
    const own: Record<string, string>[] = [
      { "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "none" },
      { origin: heed.url },
      { origin: `http://localhost:${heed.process.port}` },
      {},
    ];
    for (const headers of row.slow ? own.slice(0, 1) : own) {
      const reply = await caller.call(row, caller.allowed(row), { ask: { headers } });
      expect(reply.status, `${JSON.stringify(headers)} ${reply.text}`).toBe(row.status);
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

  test.each(named(UNSAFE.filter(({ body }) => body === "json")))("%s takes JSON only", async (_, row) => {
    for (const type of [...TYPES, "multipart/form-data; boundary=x", "application/json; charset=utf-16"]) {
      const reply = await refusedBody(row, { "content-type": type });
      expect([reply.status, reply.body.code], type).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
    }
  });

  test.each(named(UNSAFE.filter(({ body }) => body === "json")))(
    "%s takes no compressed JSON",
    async (_, row) => {
      const reply = await refusedBody(row, {
        "content-type": "application/json",
        "content-encoding": "gzip",
      });
      expect([reply.status, reply.body.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
    },
  );

  test.each(named(UNSAFE.filter(({ body }) => body === "multipart")))("%s takes no text", async (_, row) => {
    for (const type of TYPES) {
      const reply = await refusedBody(row, { "content-type": type });
      expect([reply.status, reply.body.code], type).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
    }
  });

  const refusedBody = async (row: Row, headers: Record<string, string | undefined>) => {
    const client = await caller.client(row, caller.allowed(row));
    const raw = JSON.stringify({ state: "closed", title: "A title that is fine" });
    return client.send(row.method, caller.path(row), undefined, { raw, headers });
  };
});

describe("reading", () => {
  test("writes nothing, whichever path is read", async () => {
    const reads = ROWS.filter((row) => row.method === "GET");
    const prepared = await Promise.all(
      reads.map(async (row) => ({ row, example: await row.example?.(world, "sam") })),
    );
    const before = await everything();
    for (const { row, example = {} } of prepared) {
      const reply = await caller.call({ ...row, example: () => example }, "sam");
      expect(reply.status, `${row.path} ${reply.text}`).toBe(200);
    }
    expect(await everything()).toEqual(before);
  });

  /** What the tables hold, but for the record of who looked at a file and when a session was last used. */
  const everything = async () => {
    const tables = [
      "users",
      "organizations",
      "organization_members",
      "events",
      "event_roles",
      "invites",
      "incidents",
      "incident_history",
      "related_files",
      "team_notes",
      "pins",
    ];
    const dumps = tables.map((table) =>
      heed.sql(`select coalesce(json_agg(t order by t::text), '[]') as rows from ${table} t`),
    );
    return Promise.all(dumps);
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
