import path from "node:path";
import { expect, test } from "vitest";
import { listSourceFiles, readSourceFile } from "#e2e/support/source-files.ts";

/**
 * Tests don't limit elapsed time: a busy machine makes any of them fail. What must be quick is shown by what happens
 * first, by the number of calls, or by CPU time (e2e/support/cpu-time.ts); speed itself is measured in bench/. Limits of
 * half a minute and more stand for "at all".
 */

const ELAPSED = /(?:performance|Date)\.now\(\)\s-\s/;
/** A name whose value is elapsed time, as a constant or a field. */
const NAMED = /(\w+)(?:: |\s=\s)[^;,\n]*(?:performance|Date)\.now\(\)\s-\s/g;
const LIMITED = /expect\(([^;]*?)\)\s*\.toBeLessThan(?:OrEqual)?\(([^;]*)\);/g;
const AT_ALL_MS = 30_000;

/** Returns the assertions of a source that limit elapsed time. */
function listTimeLimits(source: string): string[] {
  const names = [...source.matchAll(NAMED)].map(([, name]) => name);
  return [...source.matchAll(LIMITED)]
    .filter(([, value = "", limit = ""]) => {
      const isElapsed = ELAPSED.test(value) || names.some((name) => new RegExp(`\\b${name}\\b`).test(value));
      return isElapsed && !(Number(limit.replaceAll("_", "")) >= AT_ALL_MS);
    })
    .map(([assertion]) => assertion);
}

test("no test limits elapsed time", () => {
  const tests = listSourceFiles(["app", "components", "e2e", "lib"])
    .filter((file) => /\.(?:test|spec)\.tsx?$/.test(file))
    .filter((file) => path.basename(file) !== path.basename(import.meta.filename));
  expect(tests.length).toBeGreaterThan(200);
  expect(tests.flatMap((file) => listTimeLimits(readSourceFile(file)))).toEqual([]);
});

test.each([
  "expect(performance.now() - began).toBeLessThan(5000);",
  "expect(Date.now() - began).toBeLessThanOrEqual(limit);",
  "const took = performance.now() - began;\nexpect(took / 2).toBeLessThan(2);",
  "return { took: performance.now() - began };\nfor (const { took } of all) expect(took).toBeLessThan(2000);",
])("finds %j", (source) => expect(listTimeLimits(source)).toHaveLength(1));

test.each([
  "expect(Date.now() - Date.parse(createdAt)).toBeLessThan(60_000);",
  "expect(performance.now() - began).toBeGreaterThan(500);",
  "const began = performance.now();\nexpect(bytes).toBeLessThan(500);",
])("allows %j", (source) => expect(listTimeLimits(source)).toEqual([]));
