import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { SCREENS } from "#e2e/screens/pages.ts";

const APP = path.resolve(import.meta.dirname);
const pages = fs
  .readdirSync(APP, { recursive: true, encoding: "utf8" })
  .filter((name) => name === "page.tsx" || name.endsWith("/page.tsx"))
  .map((name) => name.replace(/\/?page\.tsx$/, ""))
  .toSorted();

test("every page has a picture, and every picture a page", () => {
  expect([...new Set(SCREENS.map(({ page }) => page))].toSorted()).toEqual(pages);
});

test("names of pictures are names once", () => {
  const names = SCREENS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
