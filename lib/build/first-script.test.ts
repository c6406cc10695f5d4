import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import vm from "node:vm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { joinFirstScripts } from "./first-script.ts";

let folder: string;

const PART = (word: string) =>
  `(globalThis.LIST||(globalThis.LIST=[])).push(["object"==typeof document?document.currentScript:void 0,"${word}"])`;
const FILES = ["static/chunks/a.js", "static/chunks/b.js", "static/chunks/turbopack-c.js"];

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "heed-first-"));
  write("static/chunks/a.js", PART("one"));
  write("static/chunks/b.js", PART("two"));
  write("static/chunks/turbopack-c.js", `globalThis.LOADED = globalThis.LIST.length`);
  for (const place of ["build-manifest.json", "server/app/page/build-manifest.json"])
    write(place, JSON.stringify({ rootMainFiles: FILES, kept: place }));
  write("server/app/api/route/build-manifest.json", JSON.stringify({ rootMainFiles: [] }));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

function write(name: string, text: string): void {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), text);
}

const read = (name: string) => fs.readFileSync(path.join(folder, name), "utf8");
const manifest = (place: string) =>
  JSON.parse(read(`${place}build-manifest.json`)) as { rootMainFiles: string[]; kept?: string };
const snapshot = () =>
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(js|json)$/.test(name))
    .map((name) => `${name} ${read(name)}`)
    .toSorted();

test("every page asks for one file, which runs all parts in order under their own names", () => {
  expect(joinFirstScripts(folder)).toBeGreaterThan(0);
  const [name = "", ...others] = manifest("").rootMainFiles;
  expect(others).toEqual([]);
  expect(manifest("server/app/page/")).toEqual({
    rootMainFiles: [name],
    kept: "server/app/page/build-manifest.json",
  });
  const scope = vm.createContext({});
  vm.runInContext(read(name), scope);
  expect(scope).toEqual({
    LIST: [
      ["static/chunks/a.js", "one"],
      ["static/chunks/b.js", "two"],
    ],
    LOADED: 2,
  });
});

test("answers of the API, which send no script, still ask for none, and the parts stay", () => {
  joinFirstScripts(folder);
  expect(manifest("server/app/api/route/").rootMainFiles).toEqual([]);
  expect(read("static/chunks/b.js")).toBe(PART("two"));
});

test("another content has another name", () => {
  joinFirstScripts(folder);
  const [before] = manifest("").rootMainFiles;
  write("static/chunks/b.js", PART("three"));
  for (const place of ["build-manifest.json", "server/app/page/build-manifest.json"])
    write(place, JSON.stringify({ rootMainFiles: FILES }));
  joinFirstScripts(folder);
  expect(manifest("").rootMainFiles).not.toEqual([before]);
});

test.each([
  ["a part that names itself in a way nobody knows", () => write("static/chunks/a.js", "push([me])")],
  ["a part that names itself twice", () => write("static/chunks/a.js", PART("one") + PART("one"))],
  [
    "pages that begin with different files",
    () => write("server/app/page/build-manifest.json", JSON.stringify({ rootMainFiles: FILES.slice(1) })),
  ],
  ["a build that was joined before", () => joinFirstScripts(folder)],
])("%s: the build is left as it is", (_, change) => {
  change();
  const before = snapshot();
  expect(joinFirstScripts(folder)).toBeUndefined();
  expect(snapshot()).toEqual(before);
});
