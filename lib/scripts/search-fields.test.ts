import { expect, test } from "vitest";
import { listSourceFiles, readSourceFile } from "#e2e/support/source-files.ts";

/** People search for names, which the next person at the device must not be offered by the browser. */

const SEARCH_FIELD = /<\w+[^<]*?\stype="search"[^<]*?\/>/g;

test("the browser stores nothing that was typed into a search field", () => {
  const sources = listSourceFiles(["app", "components"])
    .filter((file) => file.endsWith(".tsx"))
    .map((file) => ({ file, text: readSourceFile(file) }));
  const fields = sources.flatMap(({ file, text }) =>
    (text.match(SEARCH_FIELD) ?? []).map((field) => ({ file, field })),
  );
  // None is written in a way that the pattern doesn't know.
  const count = sources.reduce((sum, { text }) => sum + text.split('type="search"').length - 1, 0);
  expect([fields.length, fields.length > 3]).toEqual([count, true]);
  expect(fields.filter(({ field }) => !field.includes('autoComplete="off"'))).toEqual([]);
});
