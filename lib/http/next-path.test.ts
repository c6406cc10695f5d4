import { describe, expect, test } from "vitest";
import { chooseHomePath, parseSameSitePath, parseNextPath, addNextParameter } from "./next-path.ts";

describe("parseSameSitePath", () => {
  test("keeps path, query and fragment of this site", () => {
    expect(parseNextPath("/orgs/harbour?page=2#events")).toBe("/orgs/harbour?page=2#events");
    expect(parseNextPath("/")).toBe("/");
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
    expect(parseNextPath(next)).toBeNull();
    expect(parseSameSitePath(next)).toBeNull();
  });

  test("refuses what isn't text, as a repeated or missing parameter is", () => {
    expect(parseNextPath(["/orgs", "/inbox"])).toBeNull();
    expect(parseNextPath(undefined)).toBeNull();
  });

  test("removes the parameter that Next's router adds", () => {
    expect(parseNextPath("/orgs?page=2&_rsc=1x2y3")).toBe("/orgs?page=2");
  });

  test("refuses sign-in pages", () => {
    expect(parseNextPath("/login?next=/orgs")).toBeNull();
    expect(parseNextPath("/login#top")).toBeNull();
    expect(parseSameSitePath("/login?next=/orgs")).toBe("/login?next=/orgs");
    expect(parseNextPath("/register")).toBeNull();
    expect(parseNextPath("/registered")).toBe("/registered");
  });

  test("refuses the quick exit, which signs out", () => {
    expect(parseNextPath("/leave")).toBeNull();
    expect(parseNextPath("/leave?event=harbour")).toBeNull();
    expect(parseNextPath("/leaves")).toBe("/leaves");
  });
});

test("addNextParameter encodes the path to return to", () => {
  expect(addNextParameter("/login", "/orgs?page=2")).toBe("/login?next=%2Forgs%3Fpage%3D2");
  expect(addNextParameter("/login", null)).toBe("/login");
});

test("the home page depends on the person's roles", () => {
  const events = [{ eventId: "e", slug: "harbour", organizationId: "o", roles: ["Responder" as const] }];
  const organizations = [{ organizationId: "o", slug: "harbour", role: "org_viewer" as const }];
  expect(chooseHomePath({ systemAdmin: true, events, organizations })).toBe("/orgs");
  expect(chooseHomePath({ systemAdmin: false, events, organizations })).toBe("/inbox");
  expect(chooseHomePath({ systemAdmin: false, events: [], organizations })).toBe("/orgs");
  expect(chooseHomePath({ systemAdmin: false, events: [], organizations: [] })).toBe("/");
});
