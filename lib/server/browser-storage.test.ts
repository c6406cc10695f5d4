import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
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

it.each([
  ["signing out removes what the browser has stored", "/signed-out", '"cache", "storage"'],
  ["opening a mailbox after the quick exit keeps drafts", "/opened", '"cache"'],
])("%s", async (_, path, cleared) => {
  const { port } = server.address() as AddressInfo;
  const { headers } = await fetch(`http://127.0.0.1:${port}${path}`);
  expect(headers.get("clear-site-data")).toBe(cleared);
});
