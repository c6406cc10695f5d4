import { expect, test } from "vitest";
import { parsePathIdOrNilUuid } from "./path-params.ts";

test("a malformed id becomes the nil UUID; upper case is accepted", () => {
  const none = "00000000-0000-0000-0000-000000000000";
  expect(["x", undefined, "a".repeat(36), "../etc"].map(parsePathIdOrNilUuid)).toEqual([
    none,
    none,
    none,
    none,
  ]);
  expect(parsePathIdOrNilUuid("ABCDEF00-1111-4222-8333-444444444444")).toBe(
    "abcdef00-1111-4222-8333-444444444444",
  );
});
