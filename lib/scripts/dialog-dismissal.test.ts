import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** Whoever is asked before something final can say no in words, not only with the cross in the corner. */

const ROOT = path.resolve(import.meta.dirname, "../..");
/** Pages for the team and for whoever manages something. */
const FOLDERS = ["app/(app)", "components"];

test("each dialog with a button for something final has one that leaves everything as it is", () => {
  const files = FOLDERS.flatMap((folder) =>
    fs
      .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".tsx"))
      .map((file) => path.join(folder, file)),
  );
  const finalButtons = files.flatMap((file) => {
    const text = fs.readFileSync(path.join(ROOT, file), "utf8");
    return text
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
