import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { closeTimedOutUnusedConnection } from "./unused-connection.ts";

const HEADERS_TIMEOUT_MS = 200;

/** Connects to a server that waits a fifth of a second for a request, and answers a late one with 400. */
async function connectToServer(): Promise<net.Socket> {
  const limits = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: HEADERS_TIMEOUT_MS,
    connectionsCheckingInterval: 20,
  };
  const server = http.createServer(limits, (_, response) => response.end("served"));
  server.on("clientError", (error, socket) => {
    if (!closeTimedOutUnusedConnection(error, socket as net.Socket))
      socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const client = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
  const accepted = once(server, "connection");
  await once(client, "connect");
  await accepted;
  return client;
}

function block(ms: number): void {
  for (const end = Date.now() + ms; Date.now() < end;);
}

test("a connection without a request is closed without a response", async () => {
  const client = await connectToServer();
  expect(await text(client)).toBe("");
});

test("a request that arrived in time is served although the process was busy past the time-out", async () => {
  const client = await connectToServer();
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  block(2 * HEADERS_TIMEOUT_MS);
  expect(await text(client)).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*served/);
});

test("an incomplete request is refused", async () => {
  const client = await connectToServer();
  client.write("GET / HTTP/1.1\r\nHost: loc");
  expect(await text(client)).toMatch(/^HTTP\/1.1 400 /);
});

test("a request that begins while the process is busy and then stops is refused, too", async () => {
  const client = await connectToServer();
  client.write("GET / HTTP/1.1\r\nHost: loc");
  block(2 * HEADERS_TIMEOUT_MS);
  expect(await text(client)).toMatch(/^HTTP\/1.1 400 /);
});
