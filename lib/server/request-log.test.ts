import { EventEmitter } from "node:events";
import fs from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import os from "node:os";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { log } from "#lib/observability/log.ts";
import { createLoggingRequestHandler } from "./request-log.ts";

/** What a request leaves in the log. */

const UNIDENTIFIED = [
  "/mailbox",
  "/mailbox/receipt",
  "/mailbox/opened",
  "/e/[slug]/report",
  "/e/[slug]/report/send",
  "/api/mailbox",
  "/api/mailbox/files/[fileId]/download",
  "/api/events/slug/[slug]/anonymous-reports",
];
const IDENTIFIED = ["/inbox", "/e/[slug]", "/api/events/slug/[slug]/incidents/[incidentId]/conversations"];

const root = fs.mkdtempSync(path.join(os.tmpdir(), "heed-request-log-"));
fs.mkdirSync(path.join(root, ".next"));
const routes = Object.fromEntries([...UNIDENTIFIED, ...IDENTIFIED].map((route) => [`${route}/page`, route]));
fs.writeFileSync(path.join(root, ".next/app-path-routes-manifest.json"), JSON.stringify(routes));
afterAll(() => fs.rmSync(root, { recursive: true }));
const serveAndLog = createLoggingRequestHandler(root);

const lines = vi.spyOn(log, "info").mockImplementation(() => undefined);
afterEach(() => void lines.mockClear());

async function serve(route: string, statusCode: number, headersSent = true): Promise<unknown[]> {
  const url = route.replaceAll(/\[\w+\]/g, "x");
  const request = { url, method: "POST", headers: { "x-request-id": "the-id" } };
  const response = Object.assign(new EventEmitter(), { statusCode, headersSent });
  serveAndLog(request as unknown as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  response.emit("close");
  await nextTurn();
  return lines.mock.calls.map(([line]) => line);
}

describe("a request", () => {
  test.each(IDENTIFIED)("to %s writes one line", async (route) => {
    expect(await serve(route, 200)).toEqual([
      { requestId: "the-id", method: "POST", route, status: 200, ms: expect.any(Number) },
    ]);
  });

  test.each(UNIDENTIFIED)("to %s, which identifies nobody, writes no line", async (route) => {
    for (const status of [200, 204, 303, 401, 404, 429]) expect(await serve(route, status)).toEqual([]);
    expect(await serve(route, 200, false)).toEqual([]);
  });

  test.each(UNIDENTIFIED)("to %s that fails in the service writes a line without its id", async (route) => {
    expect(await serve(route, 503)).toEqual([{ method: "POST", route, status: 503, ms: expect.any(Number) }]);
  });
});
