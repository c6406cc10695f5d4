import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Caller, fillPath, addRowTitles, ROWS } from "#e2e/api/routes.ts";
import { NEW_INTAKE } from "#e2e/api/intake-rows.ts";
import { SCREENS, type Screen } from "#e2e/screens/pages.ts";
import { FILE_CONTENT_POLICY, SECURITY_HEADERS } from "#e2e/support/header-invariants.ts";
import { sendRawBytes } from "#e2e/support/raw-bytes.ts";
import { expectSecurityHeaders, expectPrivateResponse } from "#e2e/support/response-headers.ts";
import { sendRawRequest, type Reply } from "#e2e/support/client.ts";
import { shareService } from "#e2e/support/service.ts";
import { SharedCache } from "#e2e/support/shared-cache.ts";
import { PASSWORD, TestWorld, type TestPerson } from "#e2e/support/world.ts";

/** Security and cache headers of every kind of response. The client checks those of each route. */

const heed = await shareService();
const world = await TestWorld.build(heed);
const caller = await Caller.over(world);
const { ada, event, olga, organization } = world;

describe("beside what the client finds on each response", () => {
  test("304 for a logo that the browser has", async () => {
    const logo = ROWS.find(({ path, method }) => method === "GET" && path === "/api/events/slug/:slug/logo");
    if (!logo) throw new Error("no such row");
    const { etag } = (await caller.call(logo, "nobody")).headers;
    const reply = await caller.call({ ...logo, example: () => ({}) }, "nobody", {
      ask: { headers: { "if-none-match": etag } },
    });
    expect(reply.status).toBe(304);
    expectSecurityHeaders(reply);
    expect(reply.headers["content-security-policy"]).toBe(FILE_CONTENT_POLICY);
  });

  test("400 for what is no HTTP", async () => {
    const { head, body } = await sendRawBytes(heed.port, "GET /login HTTP/1.1\r\nno header\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    for (const [name, value] of Object.entries(SECURITY_HEADERS))
      expect(head.toLowerCase()).toContain(`${name}: ${value}`);
    expect(JSON.parse(body).code).toBe("VALIDATION_ERROR");
  });
});

const POLICY = new RegExp(
  `^${[
    "default-src 'self'",
    "script-src 'self' 'nonce-([A-Za-z0-9+/]{22,}={0,2})' 'strict-dynamic'",
    "style-src 'self' 'nonce-\\1'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "font-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ")}$`,
);

describe("every page", async () => {
  const places = await placesOf();
  const PAGES = SCREENS.map((screen) => [screen.name, screen] as const);

  /** No page is rendered by the build (below), so one look at each is enough, and a second at the first few. */
  const VISITS = [...PAGES, ...PAGES.slice(0, 3)];
  const nonces = new Set<string>();

  test.each(VISITS)("%s: script and style carry a nonce of this response alone", async (_, screen) => {
    const reply = await loadScreen(screen);
    const policy = String(reply.headers["content-security-policy"]);
    const [, nonce = ""] = POLICY.exec(policy) ?? [];
    expect(nonce, policy).not.toBe("");
    expect([...nonces]).not.toContain(nonce);
    nonces.add(nonce);
    expectSecurityHeaders(reply);
    expectPrivateResponse(reply);
    expect(reply.headers["set-cookie"]).toBeUndefined();
    expect(withoutNonce(reply.text, nonce)).toEqual([]);
  });

  async function loadScreen({ as, page }: Screen): Promise<Reply> {
    const cookie = as ? world.as(world[as]).cookie : undefined;
    const reply = await sendRawRequest(heed.url, { method: "GET", path: places(page), headers: { cookie } });
    expect([200, 404], reply.text.slice(0, 300)).toContain(reply.status);
    expect(reply.headers["content-type"]).toMatch(/^text\/html; ?charset=utf-8$/i);
    return reply;
  }

  test.each(["/nowhere/at/all", "/e/no-such-event", "/inbox"])(
    "%s has them, too, as a 404 or 403",
    async (where) => {
      const reply = await sendRawRequest(heed.url, { method: "GET", path: where, headers: {} });
      expect([303, 307, 404]).toContain(reply.status);
      expectSecurityHeaders(reply);
      expectPrivateResponse(reply);
      expect(reply.headers["content-security-policy"]).toMatch(POLICY);
    },
  );

  test("a method that pages don't take is refused with the same headers", async () => {
    const reply = await sendRawRequest(heed.url, { method: "DELETE", path: "/login", headers: {} });
    expect(reply.status).toBe(405);
    expectSecurityHeaders(reply);
    expectPrivateResponse(reply);
  });
});

/** Tags that the policy would stop, and markup that it is there against. */
function withoutNonce(html: string, nonce: string): string[] {
  const found: string[] = [];
  const markup = html.replace(/(<script\b[^>]*>).*?<\/script>/gs, "$1");
  for (const [tag] of markup.matchAll(/<[a-z][^>]*>/gi)) {
    const bare = /^<(script|style)\b/i.test(tag) && !tag.includes(` nonce="${nonce}"`);
    const inline =
      /\s(style|on[a-z]+)=/i.test(tag) || /\s(href|src|action)="\s*(javascript|data:text)/i.test(tag);
    const foreign =
      /^<(script|link|img|iframe|form)\b.*?\s(src|href|action)="(https?:)?\/\/(?!localhost|127\.)/i.test(tag);
    if (bare || inline || foreign) found.push(tag.slice(0, 200));
  }
  return found;
}

/** Where the pages are in this world, by their files. */
async function placesOf(): Promise<(page: string) => string> {
  const report = await world.report(world.maya, event);
  const { incident: intake } = (
    await world
      .as(world.omar)
      .post(`/api/events/slug/${event.slug}/intakes`, { ...NEW_INTAKE, channel: "phone" })
  ).body;
  const invites = `/api/events/${event.id}/invites`;
  const { invite } = (await world.as(ada).post(invites, { role: "Reporter" })).body;
  const hooks = `/api/organizations/${organization.id}/webhooks`;
  const wanted = { url: "https://hooks.invalid/heed", kinds: ["incident.created"] };
  const { webhook } = (await world.as(olga).post(hooks, wanted)).body;
  return (page) => {
    const values: Record<string, string> = {
      slug: page.includes("orgs/") ? organization.slug : event.slug,
      id: page.includes("/take/") ? intake.id : report.id,
      code: invite.code,
      token: "unknown-token",
      group: "conversation",
      userId: world.omar.id,
      inviteId: invite.id,
      webhookId: webhook.id,
    };
    const route = `/${page}`.replace(/\/\(\w+\)/g, "").replace(/\[(\w+)\]/g, (_, name: string) => {
      const value = values[name];
      if (!value) throw new Error(`${page}: say here what ${name} names`);
      return value;
    });
    return route || "/";
  };
}

/**
 * The client and "every page" find on each response the headers that these caches honor: one response of each kind
 * proves that they are enough.
 */
describe("behind a cache that many share", async () => {
  const places = await placesOf();
  const token = await tokenOf(world.sam);
  const KINDS = [
    "/api/organizations/:organizationId",
    "/api/users/me",
    "/api/auth/session",
    "/api/events/:eventId/incidents/:incidentId",
    "/api/events/slug/:slug/incidents",
    "/api/events/:eventId/incidents/:incidentId/related-files/:fileId/download",
    "/api/organizations/:organizationId/reports/export",
    "/api/events/:eventId/logo",
    "/api/users/:userId/avatar",
    "/api/events/:eventId/qr",
    "/api/users/me/stream",
    "/api/mailbox",
    "/api/mailbox",
    "/api/openapi.json",
  ];
  const rows = KINDS.map((kind) => ROWS.find(({ method, path }) => method === "GET" && path === kind));
  test("the table has a row of each kind", () => expect(rows).not.toContain(undefined));

  test.each(addRowTitles(rows.flatMap((row) => row ?? [])))(
    "%s gives no response to another person",
    async (_, row) => {
      const { params, query, cookie } = (await row.example?.(world, caller.allowed(row))) ?? {};
      const path = fillPath(row.path, { ...caller.params, ...params }, query);
      await expectNothingCrosses(path, isOpen(row.path), cookie);
    },
  );

  const seen = ["event", "mailbox", "inbox", "incident"];
  const pages = SCREENS.filter(({ name }) => seen.includes(name));
  test("the screens have a page of each kind", () => expect(pages).toHaveLength(seen.length));
  test.each(pages.map(({ name, page }) => [name, page]))("the page %s", (_, page) =>
    expectNothingCrosses(places(page), false),
  );

  const isOpen = (route: string) => /\/logo$|\/openapi\.json$/.test(route);

  /** Whoever asks gets their own response, also when somebody asked before who may see more. */
  async function expectNothingCrosses(path: string, open: boolean, mailbox?: string): Promise<void> {
    const people = {
      ...(mailbox !== undefined && { "whoever opened the mailbox": { cookie: mailbox } }),
      sam: { cookie: world.as(world.sam).cookie },
      "sam's token": { authorization: `Bearer ${token}` },
      ada: { cookie: world.as(ada).cookie },
      nobody: {},
    };
    const caches = {
      obedient: new SharedCache(heed.url),
      // Keeps what it is told not to keep: then it is `Vary` alone that tells people apart.
      disobedient: new SharedCache(heed.url, () => true),
    };
    for (const [kind, cache] of Object.entries(caches))
      for (const [who, headers] of Object.entries(people)) {
        const { reply, hit } = await cache.get(path, headers);
        if (!open) expect(hit, `${who} by the ${kind} one`).toBe(false);
        if (hit) expect(reply.headers["set-cookie"]).toBeUndefined();
      }
  }

  async function tokenOf(person: TestPerson): Promise<string> {
    const body = { name: "For the cache", scope: "read", currentPassword: PASSWORD };
    const made = await world.as(person).post("/api/users/me/tokens", body);
    expect(made.status, made.text).toBe(201);
    return made.body.token;
  }
});

describe("scripts and styles of the build", () => {
  const folder = path.resolve(import.meta.dirname, "../../.next/static");
  const files = fs
    .readdirSync(folder, { recursive: true })
    .map((file) => String(file).replaceAll(path.sep, "/"));

  test("come with the same headers", async () => {
    const script = files.find((file) => file.endsWith(".js"));
    const reply = await sendRawRequest(heed.url, {
      method: "GET",
      path: `/_next/static/${script}`,
      headers: {},
    });
    expect(reply.status).toBe(200);
    expectSecurityHeaders(reply);
    expect(reply.headers["content-type"]).toMatch(/javascript/);
  });

  test("come without their sources", async () => {
    expect(files.filter((file) => file.endsWith(".map"))).toEqual([]);
    for (const file of files.filter((one) => one.endsWith(".js")))
      expect(fs.readFileSync(path.join(folder, file), "utf8"), file).not.toMatch(/\/\/# sourceMappingURL=/);
  });

  test("are all that the build renders: it knows neither the address of the service nor its settings", () => {
    const manifest = fs.readFileSync(path.join(folder, "../prerender-manifest.json"), "utf8");
    expect(Object.keys(JSON.parse(manifest).routes)).toEqual(["/_global-error"]);
  });

  test("are all there is: no image is fetched and remade for whoever asks", async () => {
    const imagePath = `/_next/image?url=${encodeURIComponent(`/api/events/${event.id}/logo`)}&w=640&q=75`;
    const reply = await sendRawRequest(heed.url, { method: "GET", path: imagePath, headers: {} });
    expect(reply.status).toBe(404);
  });
});

test("no response has a header of limits where there are none", async () => {
  const { status, headers } = await heed.visitor().get("/api/auth/check-email?email=a@example.org");
  expect([status, headers["ratelimit-policy"], headers.ratelimit]).toEqual([200, undefined, undefined]);
});

test("over http no response has HSTS, and signing out doesn't clear the device", async () => {
  const { headers } = await sendRawRequest(heed.url, { method: "GET", path: "/", headers: {} });
  expect(headers["strict-transport-security"]).toBeUndefined();
  const device = await world.device(world.nora);
  expect((await device.post("/api/auth/logout")).headers["clear-site-data"]).toBeUndefined();
});
