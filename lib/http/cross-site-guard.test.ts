import { describe, expect, it } from "vitest";
import { refuseCrossSiteRequest } from "#lib/http/cross-site-guard.ts";
import { toAddressBucket } from "#lib/rate-limits/addresses.ts";
import { readQuery } from "#lib/http/query.ts";

const passes = (method: string, headers: Record<string, string>) => {
  try {
    refuseCrossSiteRequest(method, new Headers({ host: "heed.example", ...headers }));
    return true;
  } catch {
    return false;
  }
};

describe("the cross-site guard", () => {
  it.each([
    ["same-origin", true],
    ["none", true],
    ["same-site", false],
    ["cross-site", false],
    ["nonsense", false],
  ])("with Sec-Fetch-Site %s lets a POST pass: %s", (site, expected) => {
    expect(passes("POST", { "sec-fetch-site": site })).toBe(expected);
    expect(passes("POST", { "sec-fetch-site": site, origin: "https://heed.example" })).toBe(expected);
  });

  it.each([
    ["https://heed.example", true],
    ["https://evil.example", false],
    ["null", false],
    ["https://heed.example.evil.example", false],
  ])("without that header, with Origin %s, lets a POST pass: %s", (origin, expected) => {
    expect(passes("POST", { origin })).toBe(expected);
  });

  it("allows clients other than browsers, and reads from anywhere", () => {
    expect(passes("DELETE", {})).toBe(true);
    expect(passes("GET", { "sec-fetch-site": "cross-site" })).toBe(true);
  });
});

describe("the counter of an address", () => {
  it("is one for a whole IPv6 /64, and one for each IPv4 address", () => {
    expect(toAddressBucket("2001:db8:1:2:3:4:5:6")).toBe(toAddressBucket("2001:db8:1:2::9"));
    expect(toAddressBucket("2001:db8:1:2::1")).not.toBe(toAddressBucket("2001:db8:1:3::1"));
    expect(toAddressBucket("::ffff:192.0.2.1")).toBe("192.0.2.1");
    expect(toAddressBucket("192.0.2.1")).not.toBe(toAddressBucket("192.0.2.2"));
  });
});

describe("a query", () => {
  it("is decoded: percent-encoding and plus signs", () =>
    expect(readQuery("http://x/a?b=1&c=%20d+e")).toEqual({ b: "1", c: " d e" }));
  it.each(["a=1&a=2", "a=%", "a=%zz", "a=%ff", "a=%00", `a=${"b".repeat(17_000)}`])(
    "%j is refused",
    (query) => {
      expect(() => readQuery(`http://x/?${query.slice(0, 20_000)}`)).toThrow();
    },
  );
  it("doesn't set a prototype", () => {
    readQuery("http://x/?__proto__=1");
    expect(({} as Record<string, unknown>)["1"]).toBeUndefined();
  });
});
