import http, { type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { addResponseHeadHook } from "./head-hook.ts";

/** Serves one response and returns it as its client receives it. */
async function receive(serve: (response: ServerResponse) => void): Promise<Response> {
  const server = http.createServer((_, response) => serve(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

const writers: [how: string, write: (response: ServerResponse) => void][] = [
  ["by the first byte", (response) => Object.assign(response, { statusCode: 201 }).end("text")],
  ["by writeHead", (response) => response.writeHead(201, { "X-Own": "own" }).end("text")],
  [
    "by writeHead with a message",
    (response) => response.writeHead(201, "Made", { "x-own": "own" }).end("text"),
  ],
  ["by writeHead with a list", (response) => response.writeHead(201, ["X-Own", "own"]).end("text")],
];

test.each(writers)("the head that is written %s can be changed", async (how, write) => {
  const seen: unknown[] = [];
  const response = await receive((response) => {
    response.setHeader("X-Set", "set");
    addResponseHeadHook(response, () => {
      seen.push(response.statusCode, response.getHeader("x-set"), response.getHeader("x-own"));
      response.statusCode = 202;
      response.setHeader("X-Set", "changed");
      response.setHeader("X-Added", "added");
    });
    write(response);
  });
  expect(seen).toEqual([
    201,
    "set",
    how.endsWith("writeHead") || how.endsWith("message") ? "own" : undefined,
  ]);
  expect([response.status, response.headers.get("x-set"), response.headers.get("x-added")]).toEqual([
    202,
    "changed",
    "added",
  ]);
  expect(response.headers.get("x-own")).toBe(how.startsWith("by writeHead") ? "own" : null);
  expect([response.statusText, await response.text()]).toEqual([
    how.endsWith("message") ? "Made" : "Accepted",
    "text",
  ]);
});

test("a head is changed once, and written once", async () => {
  const change = vi.fn();
  const response = await receive((response) => {
    addResponseHeadHook(response, change);
    response.writeHead(200);
    response.write("text ");
    try {
      response.writeHead(500);
    } catch (error) {
      response.end((error as NodeJS.ErrnoException).code);
    }
  });
  expect(await response.text()).toBe("text ERR_HTTP_HEADERS_SENT");
  expect(change).toHaveBeenCalledOnce();
});
