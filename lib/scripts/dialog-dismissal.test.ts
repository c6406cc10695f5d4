import { expect, test } from "vitest";
import { listSourceFiles, readSourceFile } from "#e2e/support/source-files.ts";

/** Whoever is asked before something final can say no in words, not only with the cross in the corner. */

/** Pages for the team and for whoever manages something. */
const FOLDERS = ["app/(app)", "components"];

test("each dialog with a button for something final has one that leaves everything as it is", () => {
  const files = listSourceFiles(FOLDERS).filter((file) => file.endsWith(".tsx"));
  const finalButtons = files.flatMap((file) => {
    return readSourceFile(file)
      .split('<SubmitButton variant="danger"')
      .slice(1)
      .map((rest) => ({
        file,
        next: rest.slice(rest.indexOf("</SubmitButton>") + "</SubmitButton>".length),
      }));
  });
  expect(finalButtons.length).toBeGreaterThan(10);
  // A question that is in the page itself has a link back in its place.
  const missing = finalButtons.filter(({ next }) => !/^\s*<(DismissDialogButton|a)[\s>]/.test(next));
  expect(missing.map(({ file }) => file)).toEqual([]);
});
