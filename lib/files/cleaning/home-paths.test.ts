import { describe, expect, it } from "vitest";
import { assertNoHomePaths, holdsHomePath } from "./home-paths.ts";

describe("a home folder", () => {
  it.each([
    "/home/maya/a",
    "file:///Users/maya/a",
    "C:\\Users\\maya",
    "src=/home/maya/a",
    `HYPERLINK("https://example.org/a")&'/home/maya/[a.xlsx]b'!A1`,
    `'https://example.org/a' 'C:\\Users\\maya'`,
  ])("is found: %s", (text) => {
    expect(holdsHomePath(text)).toBe(true);
  });

  it.each([
    "https://example.org/login?next=/users/maya",
    "http://example.org/a?redirect=/home/feed",
    "https://example.org/a b?next=/home/feed",
    "mailto:maya@example.org?body=/home/feed",
    `HYPERLINK("https://example.org/login?next=/users/maya","There")`,
  ])("isn't taken from a web address: %s", (text) => {
    expect(holdsHomePath(text)).toBe(false);
  });

  it("may be part of the address of a link", () => {
    const rels = (target: string) =>
      new Map([["a.rels", Buffer.from(`<r><Relationship Target="${target}"/></r>`)]]);
    expect(() => assertNoHomePaths(rels("https://example.org/login?next=/users/maya"))).not.toThrow();
    expect(() => assertNoHomePaths(rels("/users/maya/a.docx"))).toThrow(Error);
  });
});
