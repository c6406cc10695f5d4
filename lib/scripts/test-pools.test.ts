import { expect, test } from "vitest";
import { listSourceFiles, readSourceFile } from "#e2e/support/source-files.ts";

/**
 * `end` of a pool doesn't wait until its connections are closed. When the database ends right afterwards, a pool without
 * a listener for errors fails the whole run of tests.
 */
test("each pool of the tests has a listener for errors", () => {
  const files = listSourceFiles(["e2e"])
    .map((file) => ({ file, source: readSourceFile(file) }))
    .filter(({ source }) => source.includes("new pg.Pool("));
  expect(files.map(({ file }) => file)).toContain("e2e/support/test-pool.ts");
  const pools = files.flatMap(({ file, source }) =>
    [...source.matchAll(/(\w+) = new pg\.Pool\(/g)].map(([, name]) => ({ file, name, source })),
  );
  expect(pools.length).toBe(
    files.reduce((count, { source }) => count + source.split("new pg.Pool(").length - 1, 0),
  );
  const withoutListener = pools.filter(({ name, source }) => !source.includes(`${name}.on("error"`));
  expect(withoutListener.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});
