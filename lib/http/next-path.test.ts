import { describe, expect, test } from "vitest";
import { homeOf, pathHere, sameSitePath, withNext } from "./next-path.ts";

describe("sameSitePath", () => {
  test("keeps path, query and fragment of this site", () => {
    expect(sameSitePath("/orgs/harbour?page=2#events")).toBe("/orgs/harbour?page=2#events");
    expect(sameSitePath("/")).toBe("/");
  });

  test.each([
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "\\\\evil.example",
    "https://evil.example",
    "javascript:alert(1)",
    "orgs",
    " /orgs",
    "",
    "/.//evil.example",
    "/orgs/..//evil.example",
    "/a\\..\\b",
    `/${"a".repeat(2000)}`,
  ])("refuses %j", (next) => {
    expect(sameSitePath(next)).toBeNull();
    expect(pathHere(next)).toBeNull();
  });

  test("refuses what isn't text, as a repeated or missing parameter is", () => {
    expect(sameSitePath(["/orgs", "/inbox"])).toBeNull();
    expect(sameSitePath(undefined)).toBeNull();
  });

  test("forgets the mark that the router leaves on a followed link", () => {
    expect(sameSitePath("/orgs?page=2&_rsc=1x2y3")).toBe("/orgs?page=2");
  });

  test("doesn't lead in a circle", () => {
    expect(sameSitePath("/login?next=/orgs")).toBeNull();
    expect(sameSitePath("/login#top")).toBeNull();
    expect(pathHere("/login?next=/orgs")).toBe("/login?next=/orgs");
    expect(sameSitePath("/register")).toBeNull();
    expect(sameSitePath("/registered")).toBe("/registered");
  });

  test("doesn't lead to the way out, which signs out", () => {
    expect(sameSitePath("/leave")).toBeNull();
    expect(sameSitePath("/leave?event=harbour")).toBeNull();
    expect(sameSitePath("/leaves")).toBe("/leaves");
  });
});

test("withNext encodes the way back", () => {
  expect(withNext("/login", "/orgs?page=2")).toBe("/login?next=%2Forgs%3Fpage%3D2");
  expect(withNext("/login", null)).toBe("/login");
});

test("one starts with what one is here for", () => {
  const events = [{ eventId: "e", slug: "harbour", organizationId: "o", roles: ["Responder" as const] }];
  const organizations = [{ organizationId: "o", slug: "harbour", role: "org_viewer" as const }];
  expect(homeOf({ systemAdmin: true, events, organizations })).toBe("/orgs");
  expect(homeOf({ systemAdmin: false, events, organizations })).toBe("/inbox");
  expect(homeOf({ systemAdmin: false, events: [], organizations })).toBe("/orgs");
  expect(homeOf({ systemAdmin: false, events: [], organizations: [] })).toBe("/");
});
