import { expect, test } from "vitest";
import { listSourceFiles, readSourceFile } from "#e2e/support/source-files.ts";
import config from "../../vitest.config.ts";

type TestProject = { test: { name: string; include: string[] } };

const projects = (config.test?.projects ?? []) as TestProject[];
const listTestsOf = (names: readonly string[]): string[] =>
  projects.flatMap(({ test: { name, include } }) => (names.includes(name) ? include : []));

const ON_VITE = ["unit-on-vite", "domain-on-vite"];

/**
 * Node's loader has no way to forget a module: there `vi.resetModules` does nothing, without an error. A process that
 * several files share may have loaded a module before `vi.mock` replaces it.
 */
test("tests that load modules again, or replace them, run where that has an effect", () => {
  const listTestsWith = (call: RegExp) =>
    listSourceFiles(["app", "components", "e2e", "lib"]).filter(
      (file) => file.endsWith(".test.ts") && call.test(readSourceFile(file)),
    );
  const loadingAgain = listTestsWith(/vi\s*\.resetModules\(/);
  expect(loadingAgain.length).toBeGreaterThan(0);
  expect(listTestsOf(ON_VITE)).toEqual(expect.arrayContaining(loadingAgain));
  const replacing = listTestsWith(/vi\s*\.(?:doMock|mock)\(/);
  expect(replacing.length).toBeGreaterThan(0);
  expect(listTestsOf([...ON_VITE, "unit-apart", "domain-apart"])).toEqual(expect.arrayContaining(replacing));
});
