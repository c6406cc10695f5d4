import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

const read = (name: string) => fs.readFileSync(path.join(PROJECT_ROOT, name), "utf8");

test("a build of the image gets nothing that .dockerignore doesn't name", () => {
  const [first, ...patterns] = read(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(first).toBe("*");
  const allowed = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  expect(allowed.filter((name) => !fs.existsSync(path.join(PROJECT_ROOT, name)))).toEqual([]);
  // Data, keys, backups and settings, which may lie beside the sources.
  expect(allowed.filter((name) => /^(\.|data|secrets|backups|e2e|docs(?!\/[a-z]+\.md$))/.test(name))).toEqual(
    [],
  );
});

test("each service of compose.yaml is limited: logs, memory, capabilities, privileges", () => {
  const [, services = ""] = read("compose.yaml").split(/^services:$/m);
  const blocks = services.split(/^ {2}(?=\w+:$)/m).slice(1, 3);
  expect(blocks.map((block) => block.split(":", 1)[0])).toEqual(["heed", "database"]);
  for (const block of blocks)
    for (const line of [
      "logging: *logging",
      "init: true",
      "mem_limit: ",
      "cap_drop:\n      - ALL",
      "no-new-privileges:true",
    ])
      expect(block, line).toContain(`    ${line}`.replace("    no-new", "no-new"));
});
