import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** Rules that browsers without script depend on: see components/shell/page.tsx. */

const ROOT = path.resolve(import.meta.dirname, "..");
const files = ["app", "components"].flatMap((folder) =>
  fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".tsx"))
    .map((name) => path.join(folder, name)),
);
const read = (file: string) => fs.readFileSync(path.join(ROOT, file), "utf8");
const rendered = files.filter((file) => /\/(page|layout)\.tsx$/.test(file) && file !== "app/layout.tsx");

test("the list of pages is not empty", () => {
  expect(rendered).toContain("app/page.tsx");
  expect(rendered.length).toBeGreaterThan(20);
});

test.each(rendered.filter((file) => file.startsWith("app/")))("%s is wrapped by definePage", (file) => {
  expect(read(file)).toMatch(/^export default definePage\(/m);
});

/** Catches its own errors, and the frame renders without it. */
const SELF_CATCHING_COMPONENTS = ["app/(app)/layout.tsx: UnreadBell"];

test("no part of a page awaits anything itself, since definePage couldn't catch its errors", () => {
  const waiting = files.flatMap((file) =>
    [...read(file).matchAll(/^(?:export )?async function ([A-Z]\w*)/gm)].map(
      ([, name]) => `${file}: ${name}`,
    ),
  );
  expect(waiting).toEqual(SELF_CATCHING_COMPONENTS);
});

test("no page has a loading.tsx, which would send the status too early", () => {
  expect(files.filter((file) => file.endsWith("/loading.tsx") || /<Suspense\b/.test(read(file)))).toEqual([]);
});

test("no page calls Next's notFound or forbidden", () => {
  const leaving = files.filter((file) =>
    /import \{[^}]*\b(notFound|forbidden|unauthorized)\b[^}]*\} from "next\/navigation"/.test(read(file)),
  );
  expect(leaving).toEqual([]);
});
