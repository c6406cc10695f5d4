import { expect, test } from "vitest";
import { equalsInConstantTime } from "./constant-time.ts";

test.each([
  ["secret", "secret", true],
  ["secret", "secreT", false],
  ["secret", "secret ", false],
  ["é", "e", false],
  ["", "", true],
])("%j and %j: %s", (given, expected, equal) => {
  expect(equalsInConstantTime(given, expected)).toBe(equal);
});
