import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRequestGuard } from "./request-guard.ts";

/** What the browser stores for this site, and what of it goes on signing out (docs/decisions/023). */

const guard = createRequestGuard({
  TRUSTED_PROXIES: "",
  corsOrigins: [],
  https: true,
  production: false,
  baseUrl: "https://localhost",
});
const EXPIRED_SESSION = "__Host-session=; Path=/; Max-Age=0";
const ENDED_QUICK_EXIT = "heed_left=; Path=/; Max-Age=0";
const COOKIES: Record<string, string[]> = {
  "/signed-out": [EXPIRED_SESSION],
  "/opened": [ENDED_QUICK_EXIT, EXPIRED_SESSION, "mailbox=sealed; Path=/"],
};
const server = http.createServer((request, response) => {
  if (!guard(request, response)) return;
  const type = request.url?.startsWith("/api/") ? "application/json" : "text/html; charset=utf-8";
  const cookies = COOKIES[request.url ?? ""] ?? ["other=1; Path=/"];
  response.writeHead(200, { "Content-Type": type, "Set-Cookie": cookies }).end();
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function findSetCookies(path: string, cookie: string): Promise<string[]> {
  const { port } = server.address() as AddressInfo;
  const { headers } = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie } });
  return headers.getSetCookie();
}

describe("while sealed drafts wait on the device", () => {
  const RENEWED = ["other=1; Path=/", "heed_sealed=1; Path=/; SameSite=Lax; Max-Age=34560000"];

  it.each(["/login", "/api/events/slug/spring/intakes/sealed"])("%s sets the cookie again", async (path) => {
    expect(await findSetCookies(path, "a=b; heed_sealed=1")).toEqual(RENEWED);
  });

  it("other responses of the API don't, since the page may have removed it by then", async () => {
    expect(await findSetCookies("/api/health", "heed_sealed=1")).toEqual(["other=1; Path=/"]);
  });
});

it.each([
  ["signing out removes what the browser has stored", "/signed-out", "", '"cache", "storage"'],
  ["signing out keeps sealed drafts that wait", "/signed-out", "heed_sealed=1", '"cache"'],
  ["opening a mailbox after the quick exit keeps drafts", "/opened", "heed_left=1", '"cache"'],
])("%s", async (_, path, cookie, cleared) => {
  const { port } = server.address() as AddressInfo;
  const { headers } = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie } });
  expect(headers.get("clear-site-data")).toBe(cleared);
});

it("sets no cookie where no sealed drafts wait", async () => {
  expect(await findSetCookies("/login", "heed_sealed=0; x_heed_sealed=1")).toEqual(["other=1; Path=/"]);
});
