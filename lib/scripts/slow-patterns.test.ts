import { expect, test } from "vitest";
import {
  listUnicodeNormalizationsInFile,
  listUnicodeNormalizationsInSources,
  listRegexPatternsInFile,
  listRegexPatternsInSources,
  listSlowRegexProblems,
} from "./slow-patterns.ts";

test("every regular expression of the service takes time in proportion to its text", async () => {
  const patterns = listRegexPatternsInSources();
  expect(patterns.length).toBeGreaterThan(200);
  expect(await listSlowRegexProblems(patterns)).toEqual([]);
}, 300_000);

test.each([
  String.raw`/^\s*(br|gzip|\*)\s*(?:;\s*q=(0(?:\.0*)?|[01](?:\.\d*)?))?\s*$/i`,
  String.raw`/^\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)\s*(?:;\s*q=([01](?:\.\d{1,3})?))?\s*$/`,
  String.raw`/^#{1,3}[ \t]+(.+?)[ \t]*#*[ \t]*$/`,
  String.raw`/(a+)+$/`,
  String.raw`/^(\w|a)+$/`,
  String.raw`/^a|b+$/`,
  String.raw`new RegExp("-+$")`,
])("an expression that takes longer is listed: %s", async (expression) => {
  const patterns = listRegexPatternsInFile(
    "lib/some.ts",
    `export const isSlow = (text: string) => ${expression}.test(text);`,
  );
  expect(await listSlowRegexProblems(patterns)).toEqual([
    expect.stringMatching(/^lib\/some\.ts:1 .* as with /),
  ]);
});

test("expressions built at runtime are found", async () => {
  const patterns = listRegexPatternsInFile(
    "lib/some.ts",
    "export const isNamed = (name) => new RegExp(`^${name}$`).test('x');",
  );
  expect(await listSlowRegexProblems(patterns)).toEqual([expect.stringContaining("put together")]);
});

test("a component's expressions are read, too", () => {
  expect(
    listRegexPatternsInFile("app/some.tsx", "export const A = () => <p>{'a'.replace(/b+/g, '')}</p>;"),
  ).toEqual([{ file: "app/some.tsx", line: 1, source: "b+", flags: "g" }]);
});

test("Unicode normalization happens in one file only, which limits its time", () => {
  expect(listUnicodeNormalizationsInSources()).toEqual([]);
  expect(
    listUnicodeNormalizationsInFile(
      "lib/some.ts",
      'export const a = (b: string) => b.trim().normalize("NFKD");',
    ),
  ).toEqual(["lib/some.ts:1"]);
});
