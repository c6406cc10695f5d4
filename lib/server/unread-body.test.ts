import http, { type IncomingMessage, type ServerResponse } from "node:http";
import net, { type AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeConnectionIfBodyIsUnread } from "./unread-body.ts";

const MIB = 1024 * 1024;
/** More than the connection itself holds, so that a client can't send it to nobody. */
const LARGE = 24 * MIB;

/** Ways in which a handler may have begun with a body that it refuses. */
const HANDLERS: Record<string, (request: IncomingMessage) => unknown> = {
  "/untouched": () => {},
  "/iterated": (request) => request[Symbol.asyncIterator]().next(),
  "/streamed": (body) =>
    new Request("http://localhost/", { method: "POST", body, duplex: "half" } as object).body
      ?.getReader()
      .read(),
  "/read": (request) => request.toArray(),
};

const server = http.createServer(async (request, response) => {
  await HANDLERS[request.url ?? ""]?.(request);
  refuse(request, response);
});

function refuse(request: IncomingMessage, response: ServerResponse): void {
  closeConnectionIfBodyIsUnread(request, response, LARGE + MIB);
  response.writeHead(401, { "Content-Length": 7 }).end("refused");
}

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

type Sent = { sent: number; answer: string; failure: string | undefined };

/** Sends a body as most clients do, which read the response when they have sent everything. */
function send(path: string, header: string, body: Iterable<Buffer>): Promise<Sent> {
  const { port } = server.address() as AddressInfo;
  const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const result: Sent = { sent: 0, answer: "", failure: undefined };
  const closed = new Promise<Sent>((resolve) => socket.once("close", () => resolve(result)));
  socket.on("error", ({ message }) => (result.failure = message)).pause();
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n\r\n`);
  void (async () => {
    for (const bytes of body) {
      if (socket.destroyed) return;
      if (!socket.write(bytes))
        await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
      result.sent += bytes.length;
    }
    socket
      .on("data", (bytes) => (result.answer += String(bytes)))
      .resume()
      .end();
  })();
  return closed;
}

function* zeros(bytes: number): Iterable<Buffer> {
  for (let left = bytes; left > 0; left -= 64 * 1024) yield Buffer.alloc(Math.min(left, 64 * 1024));
}

test.each(["/untouched", "/iterated", "/streamed"])(
  "a client that is still sending gets its response, and then the connection ends: %s",
  async (path) => {
    const { sent, answer, failure } = await send(path, `Content-Length: ${LARGE}`, zeros(LARGE));
    expect([sent, failure]).toEqual([LARGE, undefined]);
    expect(answer).toMatch(/^HTTP\/1\.1 401 [^]*\r\nConnection: close\r\n[^]*\r\n\r\nrefused$/);
  },
);

test.each(["/untouched", "/iterated", "/streamed"])("an endless body is cut: %s", async (path) => {
  const endless = function* () {
    for (const bytes of zeros(200 * MIB))
      yield Buffer.concat([Buffer.from("10000\r\n"), bytes, Buffer.from("\r\n")]);
  };
  const { sent } = await send(path, "Transfer-Encoding: chunked", endless());
  expect(sent).toBeGreaterThan(LARGE);
  expect(sent).toBeLessThan(2 * LARGE);
});

test("a request that has arrived whole leaves its connection open", async () => {
  const { port } = server.address() as AddressInfo;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const post = () =>
    new Promise<[connection: string | undefined, localPort: number | undefined]>((resolve, reject) => {
      const request = http.request({ agent, port, host: "127.0.0.1", method: "POST", path: "/read" });
      request.once("response", (response) => {
        const { localPort } = response.socket;
        response.resume().once("end", () => resolve([response.headers.connection, localPort]));
      });
      request.once("error", reject).end(Buffer.alloc(MIB));
    });
  const [first, second] = [await post(), await post()];
  expect(first[0]).toBe("keep-alive");
  expect(second).toEqual(first);
  agent.destroy();
});
