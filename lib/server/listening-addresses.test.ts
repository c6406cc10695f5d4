import type os from "node:os";
import { expect, test } from "vitest";
import { describeListeningAddresses } from "./listening-addresses.ts";

const card = (address: string, internal = false) =>
  ({ address, internal, family: address.includes(":") ? "IPv6" : "IPv4" }) as os.NetworkInterfaceInfo;
const INTERFACES = {
  lo: [card("127.0.0.1", true), card("::1", true)],
  eth0: [card("192.0.2.7"), card("2001:db8::7"), card("fe80::1")],
  wlan0: [card("198.51.100.9")],
};
const describeFor = (HOST?: string, interfaces: ReturnType<typeof os.networkInterfaces> = INTERFACES) =>
  describeListeningAddresses({ HOST, port: 3000 }, interfaces);

test.each([
  [undefined, "http://192.0.2.7:3000 http://[2001:db8::7]:3000 http://198.51.100.9:3000"],
  ["::", "http://192.0.2.7:3000 http://[2001:db8::7]:3000 http://198.51.100.9:3000"],
  ["0.0.0.0", "http://192.0.2.7:3000 http://198.51.100.9:3000"],
  ["192.0.2.7", "http://192.0.2.7:3000"],
  ["heed.lan", "http://heed.lan:3000"],
])("with HOST %s every address is named at which others may reach the service", (host, urls) => {
  expect(describeFor(host)).toEqual([`It listens on these addresses, too: ${urls}`]);
});

test.each(["127.0.0.1", "::1", "localhost", "127.0.0.2"])("with HOST %s there is none", (host) => {
  expect(describeFor(host)).toEqual([]);
});

test("a machine without a network has none", () => {
  expect(describeFor(undefined, { lo: INTERFACES.lo })).toEqual([]);
});
