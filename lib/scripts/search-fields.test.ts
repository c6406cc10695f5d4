import { expect, test } from "vitest";
import { listSourceFiles, readSourceFile } from "#e2e/support/source-files.ts";

/** People search for names, which the next person at the device must not be offered by the browser. */

const SEARCH_FIELD = /<\w+[^<]*?\stype="search"[^<]*?\/>/g;

test("the browser stores nothing that was typed into a search field", () => {
  const fields = listSourceFiles(["app", "components"])
    .filter((file) => file.endsWith(".tsx"))
    .flatMap((file) => (readSourceFile(file).match(SEARCH_FIELD) ?? []).map((field) => ({ file, field })));
  expect(fields.length).toBeGreaterThan(3);
  expect(fields.filter(({ field }) => !field.includes('autoComplete="off"'))).toEqual([]);
});
