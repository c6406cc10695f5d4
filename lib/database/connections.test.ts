import { once } from "node:events";
import net from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connectClient, openPool } from "#lib/database/connections.ts";

/** A message of PostgreSQL's protocol. */
function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

const LET_IN_AND_ENDED = Buffer.concat([
  message("R", Buffer.alloc(4)),
  message("Z", Buffer.from("I")),
  message("E", Buffer.from("SFATAL\0C57P01\0Mterminating connection\0\0")),
]);

/** Ends each session in the packet that lets it in. */
const server = net.createServer((socket) => {
  socket.on("error", () => {});
  socket.once("data", () => socket.end(LET_IN_AND_ENDED));
});
let url = "";
const uncaught: unknown[] = [];
const onUncaught = (error: unknown) => void uncaught.push(error);
let others: NodeJS.UncaughtExceptionListener[] = [];

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  url = `postgresql://heed@127.0.0.1:${(server.address() as net.AddressInfo).port}/heed`;
  others = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException").on("uncaughtException", onUncaught);
});
afterAll(() => {
  process.removeAllListeners("uncaughtException");
  for (const listener of others) process.on("uncaughtException", listener);
  server.close();
});

it("a connection that ends at once fails its own request only", async () => {
  const pool = openPool(url, { applicationName: "heed-test", max: 1 });
  await expect(pool.connect()).rejects.toThrow();
  await expect(pool.query("select 1")).rejects.toThrow();
  expect(() => pool.emit("error", new Error("an idle connection has ended"))).not.toThrow();
  await pool.end();
  await expect(connectClient(url, { applicationName: "heed-test" })).rejects.toThrow();
  expect(uncaught).toEqual([]);
});
