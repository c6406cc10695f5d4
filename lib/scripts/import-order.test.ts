import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** The folders of lib form a list, in lib/README.md: imports go up in it only, so that there are no circles. */

const ROOT = path.resolve(import.meta.dirname, "../..");
const LIB = path.join(ROOT, "lib");
/** Made by Prisma; everybody may import it. */
const GENERATED = "generated";

const listed = [
  ...fs.readFileSync(path.join(LIB, "README.md"), "utf8").matchAll(/^- `([a-z0-9-]+)`: /gm),
].map(([, folder = ""]) => folder);

/** Empty for a file in lib itself, which comes before all folders. */
const folderOf = (file: string): string => (file.includes("/") ? (file.split("/")[0] as string) : "");

/** Files of lib by their path in it. A test may import everything. */
const files = fs
  .readdirSync(LIB, { recursive: true })
  .map((name) => String(name).replaceAll("\\", "/"))
  .filter((file) => /(?<!\.test|\.d)\.m?ts$|\.mjs$/.test(file) && folderOf(file) !== GENERATED);

/** Imports and exports of values, at the start of a line or as a call; `typeof import(…)` is a type. */
const IMPORTS =
  /^(?:import|export)\s+(?!type\s)(?:[\w*{}\s,$]+?from\s+)?"([^"]+)"|(?<!typeof )\bimport\(\s*"([^"]+)"\s*\)/gm;

/** The files of lib whose values a text imports, by their path in it. */
const importsIn = (file: string, text: string): string[] =>
  [...text.matchAll(IMPORTS)].flatMap(([, from, called]) => {
    const name = from ?? called ?? "";
    if (name.startsWith("#lib/")) return [name.slice("#lib/".length)];
    return name.startsWith(".") ? [path.posix.join(path.posix.dirname(file), name)] : [];
  });

/** What is wrong with an import, if anything. */
function problemOf(file: string, imported: string): string[] {
  const [own, other] = [folderOf(file), folderOf(imported)];
  if (own === other || other === "" || other === GENERATED) return [];
  if (own !== "" && listed.indexOf(other) < listed.indexOf(own)) return [];
  const place = own === "" ? "lib itself" : `"${own}"`;
  return [
    `lib/${file} imports lib/${imported}, and "${other}" comes after ${place} in lib/README.md: move the code that needs both to "${other}" or below it in the list`,
  ];
}

test("the list in lib/README.md names every folder of lib once", () => {
  const folders = fs
    .readdirSync(LIB, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== GENERATED)
    .map(({ name }) => name);
  expect(listed.toSorted()).toEqual(folders.toSorted());
});

test("what imports a value is found, and what imports a type is not", () => {
  const text = `
import { a,
  b } from "#lib/events/events.ts";
import type { C } from "#lib/events/schema.ts";
import "./near.ts";
import * as queries from "../pins/queries.mjs";
export { d } from "#lib/env.ts";
type Policy = typeof import("#lib/operation/policy.ts").POLICY;
const late = await import("#lib/jobs/enqueue.ts");
import fs from "node:fs";
`;
  expect(importsIn("triage/desk.ts", text)).toEqual([
    "events/events.ts",
    "triage/near.ts",
    "pins/queries.mjs",
    "env.ts",
    "jobs/enqueue.ts",
  ]);
});

test("an import that goes down the list is named", () => {
  expect(problemOf("database/client.ts", "events/events.ts")).toEqual([
    'lib/database/client.ts imports lib/events/events.ts, and "events" comes after "database" in lib/README.md: move the code that needs both to "events" or below it in the list',
  ]);
  expect(problemOf("env.ts", "database/client.ts")).toHaveLength(1);
  expect(problemOf("events/events.ts", "database/client.ts")).toEqual([]);
});

test("no file of lib imports from a folder that comes after its own", () => {
  const read = (file: string) => fs.readFileSync(path.join(LIB, file), "utf8");
  const imports = files.flatMap((file) =>
    importsIn(file, read(file))
      .filter((imported) => !imported.startsWith("../"))
      .map((imported) => [file, imported] as const),
  );
  expect(imports.length).toBeGreaterThan(1500);
  expect(imports.flatMap(([file, imported]) => problemOf(file, imported))).toEqual([]);
});
