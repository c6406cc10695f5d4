import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { listLicenseProblems, listLockedRuntimePackages } from "./licenses.ts";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

const ours = listLockedRuntimePackages(
  JSON.parse(fs.readFileSync(path.join(PROJECT_ROOT, "package-lock.json"), "utf8")),
);

test("every runtime package has a license that allows redistribution", () => {
  expect(ours.length).toBeGreaterThan(100);
  expect(listLicenseProblems(ours)).toEqual([]);
});

test.each([
  ["GPL-3.0-only", "GPL-3.0-only is not on the list."],
  ["AGPL-3.0-or-later OR SSPL-1.0", "AGPL-3.0-or-later OR SSPL-1.0 is not on the list."],
  ["LGPL-3.0-or-later", "LGPL-3.0-or-later is not on the list."],
  ["SEE LICENSE IN terms.txt", "SEE LICENSE IN terms.txt is not on the list."],
  ["", "no license is not on the list."],
])("a package under %o is refused", (license, expected) => {
  expect(listLicenseProblems([...ours, { name: "stranger", license }])).toEqual([`stranger: ${expected}`]);
});

test("one of several licenses is enough where they are a choice", () => {
  expect(listLicenseProblems([...ours, { name: "stranger", license: "(MIT OR GPL-3.0-only)" }])).toEqual([]);
});

test("an exception is for its own license only", () => {
  expect(listLicenseProblems([...ours, { name: "libheif-js", license: "GPL-3.0-only" }])).toEqual([
    "libheif-js: GPL-3.0-only is not on the list.",
  ]);
});

test("an exception that is no longer needed is reported", () => {
  const without = ours.filter(({ name }) => name !== "elkjs");
  expect(listLicenseProblems(without)).toEqual(["Nothing needs the exception ^elkjs$ (EPL-2.0) anymore."]);
});

test("development packages are left out, and a package within another has its own name", () => {
  const packages = {
    "": { license: "Apache-2.0" },
    "node_modules/a": { license: "MIT" },
    "node_modules/a/node_modules/@b/c": { license: "ISC" },
    "node_modules/d": { dev: true, license: "GPL-3.0" },
  };
  expect(listLockedRuntimePackages({ packages })).toEqual([
    { name: "a", license: "MIT" },
    { name: "@b/c", license: "ISC" },
  ]);
});
