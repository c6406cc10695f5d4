import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const LIB = path.resolve(import.meta.dirname, "..");

test("one file uses the private tables of graphile-worker", () => {
  const using = fs
    .readdirSync(LIB, { recursive: true })
    .map((name) => String(name).replaceAll("\\", "/"))
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.startsWith("generated/"))
    .filter((file) => fs.readFileSync(path.join(LIB, file), "utf8").includes("graphile_worker._private"));
  expect(using).toEqual(["jobs/library-tables.ts"]);
});
