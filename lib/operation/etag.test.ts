import { describe, expect, it } from "vitest";
import { buildRecordEtag, matchesIfNoneMatch, parseIfMatchVersions } from "./etag.ts";

const VERSION = "2026-05-01T10:00:00.123Z";
const etag = buildRecordEtag(VERSION, '{"a":1}');

describe("the tag of a record", () => {
  it("is a weak one that differs with the version and with what is shown", () => {
    expect(etag).toMatch(/^W\/"2026-05-01T10:00:00\.123Z\/[\w-]{22}"$/);
    expect(buildRecordEtag(VERSION, '{"a":2}')).not.toBe(etag);
    expect(buildRecordEtag("2026-05-01T10:00:00.124Z", '{"a":1}')).not.toBe(etag);
  });

  it.each([etag, etag.slice(2), VERSION, `"${VERSION}"`, `W/"${VERSION}"`])(
    "names its version in If-Match: %s",
    (ifMatch) => {
      expect(parseIfMatchVersions(ifMatch)).toEqual([VERSION]);
    },
  );

  it("is one of several", () => {
    expect(parseIfMatchVersions(`"x" , ${etag}`)).toEqual(["x", VERSION]);
    expect(matchesIfNoneMatch(`"x" , ${etag}`, etag)).toBe(true);
  });

  it.each([
    [null, false],
    ["*", true],
    [etag, true],
    [etag.slice(2), true],
    [`"${VERSION}"`, false],
    [VERSION, false],
  ])("matches If-None-Match %s: %s", (ifNoneMatch, expected) => {
    expect(matchesIfNoneMatch(ifNoneMatch, etag)).toBe(expected);
  });
});
