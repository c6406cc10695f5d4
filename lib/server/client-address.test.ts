import { describe, expect, test } from "vitest";
import { chooseClientAddress, normalizeIpAddress, createTrustedProxyMatcher } from "./client-address.ts";

const nobody = createTrustedProxyMatcher("");
const proxies = createTrustedProxyMatcher("10.0.0.0/8, 192.0.2.7, 2001:db8::/32");

describe("the client address", () => {
  test("is the socket's when no proxy is trusted, whatever the header says", () => {
    expect(chooseClientAddress("203.0.113.9", "198.51.100.1", nobody)).toBe("203.0.113.9");
  });

  test("is the socket's when the socket is not one of the trusted proxies", () => {
    expect(chooseClientAddress("203.0.113.9", "198.51.100.1", proxies)).toBe("203.0.113.9");
  });

  test("is the rightmost untrusted hop behind a trusted proxy, since hops to its left may be made up", () => {
    expect(chooseClientAddress("10.1.2.3", "1.1.1.1, 198.51.100.1, 10.9.9.9", proxies)).toBe("198.51.100.1");
  });

  test("is the farthest proxy when all hops are trusted, and the proxy itself without a header", () => {
    expect(chooseClientAddress("10.1.2.3", "192.0.2.7, 10.0.0.5", proxies)).toBe("192.0.2.7");
    expect(chooseClientAddress("10.1.2.3", undefined, proxies)).toBe("10.1.2.3");
  });

  test("stops at a hop that isn't an address", () => {
    expect(chooseClientAddress("10.1.2.3", "198.51.100.1, unknown, 10.0.0.5", proxies)).toBe("10.0.0.5");
  });

  test("recognizes IPv4-mapped IPv6 addresses, IPv6 ranges, ports and brackets", () => {
    expect(chooseClientAddress("::ffff:10.1.2.3", "198.51.100.1:4711", proxies)).toBe("198.51.100.1");
    expect(chooseClientAddress("2001:db8::1", "[2001:DB9::2]:443", proxies)).toBe("2001:db9::2");
  });

  test("trusts a single address and not adjacent ones", () => {
    expect(proxies("192.0.2.7")).toBe(true);
    expect(proxies("192.0.2.8")).toBe(false);
  });
});

test("a zone and a port are not part of an address, and other text is not an address", () => {
  expect(normalizeIpAddress("fe80::1%eth0")).toBe("fe80::1");
  expect(normalizeIpAddress(" 192.0.2.1:80 ")).toBe("192.0.2.1");
  expect(normalizeIpAddress("localhost")).toBeUndefined();
  expect(normalizeIpAddress("")).toBeUndefined();
});

test.each(["10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/-1", "10.0.0.0/"])(
  "%s is refused by name",
  (entry) => {
    expect(() => createTrustedProxyMatcher(entry)).toThrow(entry);
  },
);
