import { describe, expect, test } from "vitest";
import { listAliases, Caller, titleRows, ROWS, type Row } from "#e2e/api/routes.ts";
import { sendRawRequest } from "#e2e/support/client.ts";
import { startService } from "#e2e/support/service.ts";
import { TestWorld } from "#e2e/support/world.ts";

/** The cross-site guard on everything that changes something (contract 3.12). */

const heed = await startService();
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);

const UNSAFE = ROWS.filter((row) => row.method !== "GET");

const OWN: Record<string, string>[] = [
  { "sec-fetch-site": "same-origin" },
  { "sec-fetch-site": "none" },
  { origin: heed.url },
  { origin: `http://localhost:${heed.port}` },
  {},
];

describe.each(titleRows(UNSAFE))("%s", (_, row) => {
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
      ...listAliases(row).map((alias) => caller.path({ ...row, path: alias })),
    ]) {
      const reply = await client.send(row.method, path, undefined, { headers });
      expect([reply.status, reply.body.code], path).toEqual([403, "CSRF_REJECTED"]);
    }
  });

  test("accepts requests from our own pages, and from clients other than browsers", async () => {
    // The guard knows no route, so each gets one of them.
    const headers = OWN[UNSAFE.indexOf(row) % OWN.length];
    const reply = await caller.call(row, caller.allowed(row), { ask: { headers } });
    expect(reply.status, `${JSON.stringify(headers)} ${reply.text}`).toBe(row.status);
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

  test.each(SPELLINGS)("%s signs nobody out, from our own pages or another site", async (spelling) => {
    const client = await world.device(world.nora);
    for (const site of ["cross-site", "same-origin"]) {
      const reply = await sendRawRequest(heed.url, {
        method: "POST",
        path: spelling,
        headers: { cookie: client.cookie, "sec-fetch-site": site },
      });
      expect([308, 403, 404, 405]).toContain(reply.status);
      expect((await client.get("/api/session")).body.authenticated).toBe(true);
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

  test.each(titleRows(UNSAFE.filter(({ body }) => body === "json")))("%s takes JSON only", async (_, row) => {
    for (const type of [...TYPES, "multipart/form-data; boundary=x", "application/json; charset=utf-16"]) {
      const reply = await refusedBody(row, { "content-type": type });
      expect([reply.status, reply.body.code], type).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
    }
  });

  test.each(titleRows(UNSAFE.filter(({ body }) => body === "json")))(
    "%s refuses compressed JSON",
    async (_, row) => {
      const reply = await refusedBody(row, {
        "content-type": "application/json",
        "content-encoding": "gzip",
      });
      expect([reply.status, reply.body.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
    },
  );

  test.each(titleRows(UNSAFE.filter(({ body }) => body === "multipart")))(
    "%s refuses plain text",
    async (_, row) => {
      for (const type of TYPES) {
        const reply = await refusedBody(row, { "content-type": type });
        expect([reply.status, reply.body.code], type).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"]);
      }
    },
  );

  const refusedBody = async (row: Row, headers: Record<string, string | undefined>) => {
    const client = await caller.client(row, caller.allowed(row));
    const cookie = row.opensMailbox ? (await row.example?.(world, "nobody"))?.cookie : undefined;
    const raw = JSON.stringify({ state: "closed", title: "A title that is fine" });
    return client.send(row.method, caller.path(row), undefined, {
      raw,
      headers: { ...headers, ...(cookie && { cookie }) },
    });
  };
});
