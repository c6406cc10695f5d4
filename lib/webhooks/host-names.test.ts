import dgram from "node:dgram";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { resolveHost } from "./host-names.ts";

const sockets: dgram.Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

/** A local name server. `answer` returns its response to a query; undefined for none. */
async function startNameServer(answer: (query: Buffer) => Buffer | undefined): Promise<string> {
  const socket = dgram.createSocket("udp4");
  sockets.push(socket);
  socket.on("message", (query, { port, address }) => {
    const said = answer(query);
    if (said) socket.send(said, port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return `127.0.0.1:${(socket.address() as AddressInfo).port}`;
}

const RECORD_TYPES = { A: 1, AAAA: 28 };

/** A response with one address to queries of its type, and with none to others. */
function createAnswer(type: keyof typeof RECORD_TYPES, address: number[]): (query: Buffer) => Buffer {
  return (query) => {
    const question = query.subarray(12, query.indexOf(0, 12) + 5);
    const queryType = question.readUInt16BE(question.length - 4);
    const fits = queryType === RECORD_TYPES[type];
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, fits ? 1 : 0, 0, 0, 0, 0]);
    const record = [0xc0, 12, 0, RECORD_TYPES[type], 0, 1, 0, 0, 0, 60, 0, address.length, ...address];
    return Buffer.concat([header, question, Buffer.from(fits ? record : [])]);
  };
}

test("names of this machine are its own address, whatever a name server says", async () => {
  const server = await startNameServer(createAnswer("A", [93, 184, 216, 34]));
  for (const name of ["localhost", "LOCALHOST.", "hooks.localhost"])
    expect(await resolveHost(name, [server])).toEqual([{ address: "127.0.0.1", family: 4 }]);
});

test("a name has the addresses that its name server knows, of either kind", async () => {
  const four = await startNameServer(createAnswer("A", [93, 184, 216, 34]));
  expect(await resolveHost("hooks.example.org", [four])).toEqual([{ address: "93.184.216.34", family: 4 }]);
  const six = await startNameServer(createAnswer("AAAA", [0x20, 0x01, 4, 0x70, ...Array(11).fill(0), 1]));
  expect(await resolveHost("hooks.example.org", [six])).toEqual([{ address: "2001:470::1", family: 6 }]);
});

test("an unresponsive name server doesn't block file reads", async () => {
  const silent = await startNameServer(() => undefined);
  let answered = 0;
  const lookups = Array.from({ length: 40 }, (_, index) =>
    resolveHost(`host-${index}.example.org`, [silent]).finally(() => (answered += 1)),
  );
  const outcomes = Promise.allSettled(lookups);
  for (let count = 0; count < 40; count += 1) await readFile(import.meta.filename);
  expect(answered).toBe(0);
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: "ENOTFOUND" } });
});
