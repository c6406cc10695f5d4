import { expect, test } from "vitest";
import { assertIfMatch } from "./if-match.ts";

const VERSION = new Date("2026-05-01T10:00:00.123Z");
const check = (ifMatch: string | null) => () => assertIfMatch("event", { ifMatch } as never, VERSION);

test.each([
  null,
  "*",
  '"*"',
  VERSION.toISOString(),
  `"${VERSION.toISOString()}"`,
  `"", W/"${VERSION.toISOString()}/x"`,
])("%s matches", (ifMatch) => {
  expect(check(ifMatch)).not.toThrow();
});

test.each(["undefined", '"2026-05-01T10:00:00.124Z"', '"", "x"'])("%s names another version", (ifMatch) => {
  expect(check(ifMatch)).toThrow(expect.objectContaining({ code: "CONFLICT" }));
});

test.each(["", " ", ",", '""', 'W/""', '"", ""'])(
  "a header that names no version is refused: '%s'",
  (ifMatch) => {
    expect(check(ifMatch)).toThrow(
      expect.objectContaining({
        code: "VALIDATION_ERROR",
        details: expect.stringContaining("If-Match: must be"),
      }),
    );
  },
);
