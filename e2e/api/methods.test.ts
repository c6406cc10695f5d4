import net from "node:net";
import { describe, expect, test } from "vitest";
import { expectRefusal } from "#e2e/support/concurrent-requests.ts";
import { shareService } from "#e2e/support/service.ts";

/** Methods that a path doesn't take: 405, and `Allow` names those that it takes (contract 3.1). */

const heed = await shareService();
const anybody = heed.visitor();

const listed = (allow: string | undefined) => (allow ?? "").split(", ").toSorted();

// Which methods a path takes is in routes.test.ts.
test.each(["TRACE", "PROPFIND", "LOCK"])(
  "%s is refused, and the path's methods are named",
  async (method) => {
    const reply = await anybody.send(method, "/api/health");
    expectRefusal(reply, "405 METHOD_NOT_ALLOWED");
    expect(listed(reply.headers.allow)).toEqual(["GET", "HEAD", "OPTIONS"]);
  },
);

describe("a made-up method", () => {
  test("on a path that isn't there is 404", async () => {
    const { status, body } = await raw("FROBNICATE /api/nowhere HTTP/1.1\r\nHost: x\r\n\r\n");
    expect([status, JSON.parse(body).code]).toEqual([404, "NOT_FOUND"]);
  });

  test("ends the connection, so that its body is never taken for a request", async () => {
    const smuggled = "GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n";
    const head = `FROBNICATE /api/health HTTP/1.1\r\nHost: x\r\nContent-Length: ${smuggled.length}\r\n\r\n`;
    const { text } = await raw(head + smuggled);
    expect(text.match(/^HTTP\/1\.1 /gm)).toEqual(["HTTP/1.1 "]);
  });

  test("is answered once, also when its body comes later", async () => {
    const head = "FROBNICATE /api/health HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n";
    const { text, headers } = await raw(head, "some body");
    expect(text.match(/^HTTP\/1\.1 405/gm)).toHaveLength(1);
    expect(listed(headers.allow)).toEqual(["GET", "HEAD", "OPTIONS"]);
  });

  test.each([
    "FROBNICATE  /api/health HTTP/1.1",
    "FROBNICATE x:1 HTTP/1.1",
    "FROBNICATE /api/health HTTP/9.9",
  ])("in the line %j is refused without its path", async (line) => {
    const { status, body, headers } = await raw(`${line}\r\nHost: x\r\n\r\n`);
    expect([status, JSON.parse(body).code]).toEqual([405, "METHOD_NOT_ALLOWED"]);
    expect(headers["x-content-type-options"]).toBe("nosniff");
  });
});

describe("a page", () => {
  test.each(["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])("refuses %s", async (method) => {
    const { status, headers } = await raw(
      `${method} /login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    );
    expect(status).toBe(405);
    expect(headers.allow).toBe("GET, HEAD, POST");
  });
});

test("the header for unknown methods can't be set from outside", async () => {
  const reply = await anybody.send("OPTIONS", "/api/health", undefined, {
    headers: { "x-heed-wrong-method": "yes" },
  });
  expect(reply.status).toBe(204);
});

/** Sends bytes as they are, and reads until the server ends the connection. */
async function raw(request: string, ...later: string[]) {
  const socket = net.connect(heed.port, "127.0.0.1");
  const chunks: Buffer[] = [];
  const text = await new Promise<string>((resolve, reject) => {
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("utf8")));
    socket.write(request, () => later.forEach((more) => socket.write(more)));
  });
  const [head = "", body = ""] = text.split(/\r\n\r\n(.*)/s, 2);
  const lines = head.split("\r\n").slice(1);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
  ) as Record<string, string | undefined>;
  return { text, status: Number(text.slice(9, 12)), headers, body: unchunked(body, headers) };
}

function unchunked(body: string, headers: Record<string, string | undefined>): string {
  if (headers["transfer-encoding"] !== "chunked") return body;
  return /^[0-9a-f]+\r\n(.*)\r\n0\r\n/s.exec(body)?.[1] ?? body;
}
