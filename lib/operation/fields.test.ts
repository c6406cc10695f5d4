import { describe, expect, it } from "vitest";
import {
  dayInput,
  emailInput,
  idInput,
  toLikePattern,
  limitQuery,
  pageNumberQuery,
  searchQuery,
  singleLineInput,
  eventLogoUrlInput,
  slugInput,
  strictLimitQuery,
  textInput,
  timeInput,
  websiteInput,
} from "#lib/operation/fields.ts";

const ok = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

describe("text", () => {
  const title = textInput(10, 70);

  it.each([9, 71])("of %i characters is refused for a length of 10 to 70", (length) => {
    expect(ok(title, "a".repeat(length))).toBe(false);
    expect(ok(title, "😀".repeat(length))).toBe(false);
  });

  it.each([10, 70])("of %i characters is taken, also of characters beyond the basic plane", (length) => {
    expect(ok(title, "a".repeat(length))).toBe(true);
    expect(ok(title, "😀".repeat(length))).toBe(true);
  });

  it("is trimmed and composed before it is counted", () => {
    expect(title.parse(`  ${"e\u0301".repeat(10)}  `)).toBe("é".repeat(10));
    expect(ok(title, `${"a".repeat(9)}          `)).toBe(false);
  });

  it.each([
    ["NUL", `aaaaaaaaaa\u0000`],
    ["a lone surrogate", `aaaaaaaaaa\ud800`],
  ])("with %s is refused", (_, value) => {
    expect(ok(title, value)).toBe(false);
  });
});

describe("a title", () => {
  const title = singleLineInput(70, 10);

  it.each([
    ["a line break", "What happened\nat the desk"],
    ["a carriage return", "What happened\rat the desk"],
    ["a line separator", "What happened\u2028at the desk"],
    ["a paragraph separator", "What happened\u2029at the desk"],
    ["nothing but zero-width characters", "\u200b".repeat(12)],
    ["nothing but fillers", "\u3164\u115f\u1160\uffa0".repeat(3)],
    ["nothing but blank Braille patterns", "\u2800".repeat(12)],
    ["nothing but joiners and variation selectors", "\u200d\ufe0f".repeat(6)],
  ])("with %s is refused", (_, value) => {
    expect(ok(title, value)).toBe(false);
  });

  it.each([
    "صراخ عند مكتب التسجيل",
    "צעקות ליד הדלפק",
    "受付で大声の怒鳴り合いがあった",
    "🪷".repeat(10),
    "👩‍👩‍👧‍👦 ❤️ at the desk",
  ])("in any script is taken: %s", (value) => {
    expect(ok(title, value)).toBe(true);
  });
});

it.each(["\n", "\r\n", "\r"])(
  "a line break counts as one character, and is stored as LF: %j",
  (lineBreak) => {
    const lines = (count: number) => Array<string>(count).fill("x").join(lineBreak);
    const text = textInput(1, 19);
    expect(text.parse(lines(10))).toBe(Array(10).fill("x").join("\n"));
    expect(text.safeParse(lines(11)).success).toBe(false);
  },
);

describe("a time", () => {
  it.each([
    ["2026-11-21T14:30:00Z", "2026-11-21T14:30:00.000Z"],
    ["2026-11-21T14:30+02:00", "2026-11-21T12:30:00.000Z"],
    ["2026-11-21", "2026-11-21T00:00:00.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ])("%s is taken", (given, expected) => {
    expect(timeInput.parse(given).toISOString()).toBe(expected);
  });

  it.each([
    "2024-02-30",
    "2023-02-29",
    "2026-13-01",
    "0000-01-01",
    "1899-12-31",
    "2101-01-01",
    "12345-01-01",
    "tomorrow",
    "",
    "1700000000",
    " 2026-01-01",
  ])("%j is refused", (given) => expect(ok(timeInput, given)).toBe(false));

  it("as a number is refused", () => expect(ok(timeInput, 1700000000)).toBe(false));
});

it.each(["2030-02-30", "1899-12-31", "2030-05-31T10:00:00Z", "soon", 20_300_531])("%j is no day", (given) => {
  expect(ok(dayInput, given)).toBe(false);
});

describe("slug", () => {
  it.each(["ab", "a-b", "conf-2026", "a".repeat(63)])("%s is taken", (given) =>
    expect(ok(slugInput, given)).toBe(true),
  );
  it.each(["a", "-ab", "ab-", "Ab", "a b", "../x", "a".repeat(64), "сonf", "slug", "api", "me", ""])(
    "%j is refused",
    (given) => expect(ok(slugInput, given)).toBe(false),
  );
});

describe("e-mail", () => {
  it("is trimmed and lower-cased", () =>
    expect(emailInput.parse("  Maya@Example.ORG ")).toBe("maya@example.org"));
  it.each([
    ["maya@München.example", "maya@xn--mnchen-3ya.example"],
    ["maya@例え.example", "maya@xn--r8jz45g.example"],
  ])("%s with an international domain is %s", (given, stored) =>
    expect(emailInput.parse(given)).toBe(stored),
  );
  it.each([
    "maya",
    "maya@",
    "@x.org",
    "maya@x",
    "a b@x.org",
    "maya@x.org\r\nBcc: eve@x.org",
    "maya@x..org",
    "maya@mün chen.org",
    "maya@x.org\u0000",
    "maya@x\ud800.org",
    "maya@x.org\udc00",
    "maya@mün/chen.org",
    "maya@mün:80",
    "mäya@x.org",
    { contains: "@" },
    ["a@x.org"],
    null,
  ])("%j is refused", (given) => expect(ok(emailInput, given)).toBe(false));
});

describe("links", () => {
  it.each(["https://example.org", "http://example.org/a?b=c#d"])("%s is a website", (given) =>
    expect(ok(websiteInput, given)).toBe(true),
  );
  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "//example.org",
    "http://user:pw@example.org",
    "ftp://example.org",
    "https://",
    "https://a b",
  ])("%s is no website", (given) => expect(ok(websiteInput, given)).toBe(false));
  it("of a logo must be https", () => {
    expect(ok(eventLogoUrlInput, "https://example.org/logo.png")).toBe(true);
    expect(ok(eventLogoUrlInput, "http://example.org/logo.png")).toBe(false);
  });
});

describe("paging", () => {
  it.each(["0", "-1", "1.5", "abc", "", "0x10", " 5 ", "1e3", "9007199254740993"])(
    "page %j is refused",
    (given) => expect(ok(pageNumberQuery, given)).toBe(false),
  );
  it("limit above 100 is served as 100 on lists, and refused on the cross-event list", () => {
    expect(limitQuery(20).parse("1000")).toBe(100);
    expect(limitQuery(20).parse("9".repeat(400))).toBe(100);
    expect(["0", "-1", "1.5", "", "1e3"].filter((given) => ok(limitQuery(20), given))).toEqual([]);
    expect(ok(strictLimitQuery(20), "101")).toBe(false);
    expect(strictLimitQuery(20).parse("100")).toBe(100);
  });
  it("uses its defaults when missing", () =>
    expect([pageNumberQuery.parse(undefined), limitQuery(10).parse(undefined)]).toEqual([1, 10]));
});

describe("search", () => {
  it("is matched literally", () => expect(toLikePattern("50%_\\")).toBe("%50\\%\\_\\\\%"));
  it("above 200 characters is refused", () => expect(ok(searchQuery, "a".repeat(201))).toBe(false));
  it("that is blank means no search", () => expect(searchQuery.parse("  ")).toBeUndefined());
});

describe("id", () => {
  it("is taken in upper case and kept in lower case", () =>
    expect(idInput.parse("ABCDEF00-1111-4111-8111-111111111111")).toBe(
      "abcdef00-1111-4111-8111-111111111111",
    ));
  it.each(["abc", "", "a".repeat(36), { not: "" }])("%j is refused", (given) =>
    expect(ok(idInput, given)).toBe(false),
  );
});
