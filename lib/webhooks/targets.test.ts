import { afterEach, expect, it, vi } from "vitest";
import { isPublicAddress, refusePrivateIpHost, refusePrivateTarget } from "./targets.ts";

afterEach(() => vi.restoreAllMocks());

it.each(["93.184.216.34", "1.1.1.1", "2606:4700:4700::1111", "[2606:4700:4700::1111]"])(
  "%s is public",
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

it.each([
  "127.0.0.1",
  "127.9.9.9",
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "192.0.0.8",
  "192.0.2.1",
  "198.18.0.1",
  "198.51.100.7",
  "203.0.113.9",
  "192.88.99.1",
  "224.0.0.1",
  "239.255.255.250",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:93.184.216.34",
  "::ffff:0:127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::1",
  "2002:7f00:1::",
  "2001::1",
  "2001:db8::1",
  "fe80::1",
  "fec0::1",
  "fc00::1",
  "fd12:3456::1",
  "ff02::1",
  "100::1",
  "5f00::1",
  "localhost",
  "",
])("%s is not", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

it.each([
  "https://127.0.0.1/x",
  "https://127.1/x",
  "https://0x7f.0.0.1/x",
  "https://0177.0.0.1/x",
  "https://2130706433/x",
  "https://0/x",
  "https://127。0。0。1/x",
  "https://①②⑦.0.0.1/x",
  "https://[::1]/x",
  "https://[::ffff:7f00:1]/x",
  "https://[0:0:0:0:0:ffff:169.254.169.254]/x",
  "https://169.254.169.254/latest/meta-data",
])("refuses %s, however it is written", (url) => {
  expect(() => refusePrivateIpHost(new URL(url))).toThrow("no public address");
});

it.each(["https://localhost/x", "https://LOCALHOST:8443/x"])(
  "refuses %s by what it resolves to",
  async (url) => {
    await expect(refusePrivateTarget(new URL(url))).rejects.toThrow("no public address");
  },
);

it("accepts a name that can't be resolved now", async () => {
  await refusePrivateTarget(new URL("https://hooks.invalid/x"));
});
