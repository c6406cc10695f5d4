import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";
import { FRAME_ICON_NAMES, PLAIN_ICON_NAMES } from "#lib/design/icon-names.ts";
import { renderIconStyles } from "./icon-styles.ts";

const styles = await renderIconStyles();

test("the style sheets have each icon once, drawn as Lucide draws it", () => {
  const namesIn = (text: string) => [...text.matchAll(/^\.i-([\w-]+) /gm)].map(([, name]) => name);
  expect(namesIn(styles["icons.css"])).toEqual(PLAIN_ICON_NAMES);
  expect(namesIn(styles["frame-icons.css"])).toEqual([...FRAME_ICON_NAMES, "star-filled"]);
  expect(styles["icons.css"]).toContain("<path d='M18 6 6 18'/><path d='m6 6 12 12'/></svg>");
});

test("only the star of something pinned is filled", () => {
  const filled = Object.values(styles)
    .flatMap((text) => text.match(/^\.i-.* fill='%23000'/gm) ?? [])
    .map((rule) => rule.split(" ")[0]);
  expect(filled).toEqual([".i-star-filled"]);
});

/** Adds a file and what it imports, by their paths in the project. */
function addWithImports(file: string, files: Set<string>): void {
  if (files.has(file) || !fs.existsSync(path.join(PROJECT_ROOT, file))) return;
  files.add(file);
  for (const [, from = ""] of read(file).matchAll(/(?:from|import\()\s*"([#.][^"]+\.tsx?)"/g))
    addWithImports(from.startsWith("#") ? from.slice(1) : path.join(path.dirname(file), from), files);
}

const read = (file: string) => fs.readFileSync(path.join(PROJECT_ROOT, file), "utf8");

test("pages outside the frame name only icons of the style sheet that they load", () => {
  const files = new Set<string>();
  for (const file of fs.globSync("app/**/*.tsx", { cwd: PROJECT_ROOT }))
    if (!/^app\/(?:\(app\)|styleguide)\//.test(file)) addWithImports(file, files);
  files.delete("lib/design/icon-names.ts");
  expect(files.size).toBeGreaterThan(200);
  const missing = [...files].flatMap((file) =>
    FRAME_ICON_NAMES.filter((name) => /\bicons?\b/i.test(read(file)) && read(file).includes(`"${name}"`)).map(
      (name) => `${file}: ${name}`,
    ),
  );
  expect(missing).toEqual([]);
});
