import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isCrossSiteRequest } from "#lib/http/cross-site-guard.ts";
import { createRequestGuard } from "./request-guard.ts";

/** Calls from pages of other origins, as the request guard takes them (contract 3.20). */

const ALLOWED = "https://dashboard.example.org";
const FOREIGN = "https://evil.example";
const settings = {
  TRUSTED_PROXIES: "",
  https: false,
  production: false,
  baseUrl: "https://heed.example.org",
};

type Seen = { cookie: string | undefined; crossSite: boolean };
let seen: Seen | undefined;

/** A service whose every path sets a cookie, and answers a preflight as endpoints do. */
function createService(corsOrigins: string[]): http.Server {
  const guard = createRequestGuard({ ...settings, corsOrigins });
  return http.createServer((request, response) => {
    if (!guard(request, response)) return;
    const headers = new Headers(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    seen = { cookie: request.headers.cookie, crossSite: isCrossSiteRequest(request.method ?? "", headers) };
    response.setHeader("Set-Cookie", "__Host-session=; Max-Age=0");
    if (request.method === "OPTIONS") response.writeHead(204, { Allow: "GET, POST, HEAD, OPTIONS" }).end();
    else response.end("{}");
  });
}

const open = createService([ALLOWED, settings.baseUrl]);
const closed = createService([]);
beforeAll(async () => {
  for (const one of [open, closed]) await new Promise<void>((resolve) => one.listen(0, "127.0.0.1", resolve));
});
afterAll(() => [open, closed].forEach((one) => one.close()));

type Call = { method?: string; path?: string; service?: http.Server; headers: Record<string, string> };

/** fetch would drop Origin, Cookie and Sec-Fetch-Site. */
const call = ({ method = "GET", path = "/api/session", service = open, headers }: Call) =>
  new Promise<http.IncomingMessage>((resolve, reject) => {
    const { port } = service.address() as AddressInfo;
    const request = http.request(
      { port, path, method, headers: { host: "heed.example.org", ...headers } },
      (answer) => answer.resume().once("end", () => resolve(answer)),
    );
    request.once("error", reject).end();
  });

const token = { authorization: "Bearer heed_x" };
const corsHeaders = ({ headers }: http.IncomingMessage) =>
  Object.keys(headers).filter((name) => name.startsWith("access-control-"));

describe("a preflight", () => {
  const preflight = {
    "access-control-request-method": "PATCH",
    "access-control-request-headers": "authorization",
  };

  test("from an allowed origin names methods of the path and headers, and no credentials", async () => {
    const answer = await call({ method: "OPTIONS", headers: { origin: ALLOWED, ...preflight } });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers).toMatchObject({
      "access-control-allow-origin": ALLOWED,
      "access-control-allow-methods": "GET, POST, HEAD, OPTIONS",
      "access-control-allow-headers":
        "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Range",
      "access-control-max-age": "600",
    });
    expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
    expect(answer.headers.vary).toContain("Origin");
  });

  test.each([FOREIGN, `${ALLOWED}.evil.example`, "https://DASHBOARD.example.org", "null"])(
    "from %s allows nothing, and still varies by origin",
    async (origin) => {
      const answer = await call({ method: "OPTIONS", headers: { origin, ...preflight } });
      expect(corsHeaders(answer)).toEqual([]);
      expect(answer.headers.vary).toContain("Origin");
    },
  );

  test("allows nothing without the setting", async () => {
    const answer = await call({
      method: "OPTIONS",
      service: closed,
      headers: { origin: ALLOWED, ...preflight },
    });
    expect(corsHeaders(answer)).toEqual([]);
    expect(answer.headers.vary ?? "").not.toContain("Origin");
  });

  test("allows no access to pages", async () => {
    const answer = await call({
      method: "OPTIONS",
      path: "/leave",
      headers: { origin: ALLOWED, ...preflight },
    });
    expect([answer.statusCode, corsHeaders(answer)]).toEqual([405, []]);
  });
});

test.each(["/api/events/slug/fair/logo", "/events/slug/fair/logo"])(
  "every response of the API varies by origin and token: %s",
  async (path) => {
    const calls: Call["headers"][] = [
      {},
      { origin: ALLOWED },
      { origin: ALLOWED, ...token },
      { origin: FOREIGN },
    ];
    for (const headers of calls) {
      const names = String((await call({ path, headers })).headers.vary).split(", ");
      expect(names).toEqual(expect.arrayContaining(["Origin", "Authorization"]));
      expect(new Set(names).size).toBe(names.length);
    }
  },
);

describe("a call from an allowed origin", () => {
  const browser = { origin: ALLOWED, "sec-fetch-site": "cross-site", cookie: "__Host-session=abc" };

  test("with a token passes without cookies in either direction, and its headers may be read", async () => {
    const answer = await call({ method: "POST", headers: { ...browser, ...token } });
    expect(seen).toEqual({ cookie: undefined, crossSite: false });
    expect(answer.headers["access-control-allow-origin"]).toBe(ALLOWED);
    expect(answer.headers["access-control-expose-headers"]?.split(", ")).toEqual(
      expect.arrayContaining(["Location", "ETag", "Link", "RateLimit", "RateLimit-Policy", "Retry-After"]),
    );
    expect(answer.headers["set-cookie"]).toBeUndefined();
    expect(answer.headers["clear-site-data"]).toBeUndefined();
  });

  test("without a token is refused when it writes, and can't be read", async () => {
    const answer = await call({ method: "POST", headers: browser });
    expect(seen).toEqual({ cookie: undefined, crossSite: true });
    expect(corsHeaders(answer)).toEqual([]);
  });

  test("to a page is as cross-site as from anywhere, even with a token", async () => {
    await call({ method: "POST", path: "/leave", headers: { ...browser, ...token } });
    expect(seen?.crossSite).toBe(true);
  });

  test("can be read when the request guard refuses it", async () => {
    const answer = await call({ path: "/api//session", headers: { ...browser, ...token } });
    expect([answer.statusCode, answer.headers["access-control-allow-origin"]]).toEqual([404, ALLOWED]);
  });
});

test.each([
  ["a foreign origin", { origin: FOREIGN, "sec-fetch-site": "cross-site" }],
  ["a foreign origin that claims to be let in", { origin: FOREIGN, "x-heed-cross-origin": "token" }],
])("a call from %s with a token is cross-site", async (_, headers) => {
  const answer = await call({ method: "POST", headers: { ...headers, ...token } });
  expect(seen?.crossSite).toBe(true);
  expect(corsHeaders(answer)).toEqual([]);
});

test("the service's own origin keeps its cookies, also where the setting names it", async () => {
  const headers = { origin: settings.baseUrl, "sec-fetch-site": "same-origin", cookie: "__Host-session=abc" };
  const answer = await call({ method: "POST", headers });
  expect(seen).toEqual({ cookie: "__Host-session=abc", crossSite: false });
  expect(answer.headers["set-cookie"]).toBeDefined();
  expect(corsHeaders(answer)).toEqual([]);
});
