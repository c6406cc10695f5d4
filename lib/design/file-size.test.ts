import { expect, test } from "vitest";
import { formatFileSize } from "./file-size.ts";

test.each([
  [1, "1 byte"],
  [999, "999 bytes"],
  [1000, "1 kB"],
  [640_400, "640 kB"],
  [2_440_000, "2.4 MB"],
  [5_370_000_000, "5.4 GB"],
])("%d bytes are formatted as %s", (bytes, expected) => {
  expect(formatFileSize(bytes)).toBe(expected);
});

test("a size is formatted in the reader's language", () => {
  expect(formatFileSize(2_440_000, "de")).toMatch(/^2,4\sMB$/);
});
