import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import { createRouteMatcher } from "./route-matcher.ts";

const root = fs.mkdtempSync(path.join(os.tmpdir(), "heed-patterns-"));
fs.mkdirSync(path.join(root, ".next"));
const pages = [
  "/",
  "/[...missing]",
  "/api/[...path]",
  "/api/auth/session",
  "/api/events/[eventId]",
  "/api/events/[eventId]/incidents/[incidentId]",
  "/api/events/slug/[slug]",
  "/e/[slug]",
];
const manifest = Object.fromEntries(pages.map((page) => [`${page}/page`, page]));
fs.writeFileSync(path.join(root, ".next/app-path-routes-manifest.json"), JSON.stringify(manifest));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const routeOf = createRouteMatcher(root);

test.each([
  ["/", "/"],
  ["/?q=1", "/"],
  ["/e/harbour-days", "/e/[slug]"],
  ["/api/events/slug/harbour-days?x=/y", "/api/events/slug/[slug]"],
  ["/api/events/slug", "/api/events/[eventId]"],
  ["/api/events/1/incidents/2", "/api/events/[eventId]/incidents/[incidentId]"],
  ["/events/1/incidents/2", "/api/events/[eventId]/incidents/[incidentId]"],
  ["/session", "/api/auth/session"],
  ["/api/session", "/api/auth/session"],
  ["/eventsome", undefined],
  ["/api/events/1/incidents", undefined],
  ["/api/who/is/this", undefined],
  ["", "/"],
])("%s is %s", (url, pattern) => {
  expect(routeOf(url)?.pattern).toBe(pattern);
});

test("a route has its path parameters, and literal segments take precedence", () => {
  const pattern = "/api/events/[eventId]/incidents/[incidentId]";
  expect(routeOf("/api/events/a/incidents/b?eventId=c")).toEqual({
    pattern,
    params: { eventId: "a", incidentId: "b" },
    alias: false,
  });
  expect(routeOf("/api/events/slug/incidents/b")).toEqual({
    pattern,
    params: { eventId: "slug", incidentId: "b" },
    alias: false,
  });
  expect(routeOf("/api/events/slug/__proto__")).toEqual({
    pattern: "/api/events/slug/[slug]",
    params: { slug: "__proto__" },
    alias: false,
  });
});

test("an alias is marked as such", () => {
  expect(routeOf("/events/a")).toEqual({
    pattern: "/api/events/[eventId]",
    params: { eventId: "a" },
    alias: true,
  });
  for (const url of ["/session", "/api/session"])
    expect(routeOf(url)).toEqual({ pattern: "/api/auth/session", params: {}, alias: true });
});

test("Next rewrites each alias and everything below it", async () => {
  type Config = { rewrites(): Promise<{ beforeFiles: { source: string; destination: string }[] }> };
  const file = pathToFileURL(path.resolve(import.meta.dirname, "../../next.config.mjs")).href;
  const { default: config } = (await import(/* @vite-ignore */ file)) as { default: Config };
  expect((await config.rewrites()).beforeFiles).toEqual([
    { source: "/events/:path*", destination: "/api/events/:path*" },
    { source: "/session/:path*", destination: "/api/auth/session/:path*" },
    { source: "/api/session/:path*", destination: "/api/auth/session/:path*" },
  ]);
});
