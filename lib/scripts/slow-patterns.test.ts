import { expect, test } from "vitest";
import {
  listNormalizations,
  listNormalizationsInSources,
  listPatterns,
  listPatternsInSources,
  listSlowPatterns,
} from "./slow-patterns.ts";

test("every regular expression of the service takes time in proportion to its text", async () => {
  const patterns = listPatternsInSources();
  expect(patterns.length).toBeGreaterThan(200);
  expect(await listSlowPatterns(patterns)).toEqual([]);
}, 300_000);

test.each([
  String.raw`/^\s*(br|gzip|\*)\s*(?:;\s*q=(0(?:\.0*)?|[01](?:\.\d*)?))?\s*$/i`,
  String.raw`/^\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)\s*(?:;\s*q=([01](?:\.\d{1,3})?))?\s*$/`,
  String.raw`/^#{1,3}[ \t]+(.+?)[ \t]*#*[ \t]*$/`,
  String.raw`/(a+)+$/`,
  String.raw`new RegExp("-+$")`,
])("an expression that takes longer is listed: %s", async (expression) => {
  const patterns = listPatterns(
    "lib/some.ts",
    `export const isSlow = (text: string) => ${expression}.test(text);`,
  );
  expect(await listSlowPatterns(patterns)).toEqual([expect.stringMatching(/^lib\/some\.ts:1 .* as with /)]);
});

test("expressions built at runtime are found", async () => {
  const patterns = listPatterns(
    "lib/some.ts",
    "export const isNamed = (name) => new RegExp(`^${name}$`).test('x');",
  );
  expect(await listSlowPatterns(patterns)).toEqual([expect.stringContaining("put together")]);
});

test("a component's expressions are read, too", () => {
  expect(listPatterns("app/some.tsx", "export const A = () => <p>{'a'.replace(/b+/g, '')}</p>;")).toEqual([
    { file: "app/some.tsx", line: 1, source: "b+", flags: "g" },
  ]);
});

test("Unicode normalization happens in one file only, which limits its time", () => {
  expect(listNormalizationsInSources()).toEqual([]);
  expect(
    listNormalizations("lib/some.ts", 'export const a = (b: string) => b.trim().normalize("NFKD");'),
  ).toEqual(["lib/some.ts:1"]);
});
