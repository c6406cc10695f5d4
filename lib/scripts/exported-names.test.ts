import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { PROJECT_ROOT } from "#lib/build/prepare.ts";

/** Names that Next asks every page and route for. */
const OF_THE_FRAMEWORK = new Set([
  "GET",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "HEAD",
  "generateMetadata",
  "metadata",
]);

/** The same names for components on the server and in the browser (package.json, "#i18n"). */
const TRANSLATORS = ["components/i18n/client-translator.tsx", "components/i18n/server-translator.ts"];

const EXPORT = /^export (?:async )?(?:function|const|class|type|interface|enum) (\w+)/gm;

function listSources(): string[] {
  return ["lib", "components", "app"].flatMap((root) =>
    fs
      .readdirSync(path.join(PROJECT_ROOT, root), { recursive: true })
      .map((file) => path.posix.join(root, String(file).replaceAll(path.sep, "/")))
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\/generated\//.test(file))
      .filter((file) => !TRANSLATORS.includes(file)),
  );
}

test("a name is exported by one module only, or by an operations.ts and the function that it runs", () => {
  const modules = new Map<string, Set<string>>();
  for (const file of listSources())
    for (const [, name = ""] of fs.readFileSync(path.join(PROJECT_ROOT, file), "utf8").matchAll(EXPORT))
      if (!OF_THE_FRAMEWORK.has(name)) modules.set(name, (modules.get(name) ?? new Set()).add(file));
  expect(modules.size).toBeGreaterThan(2000);
  const shared = [...modules].filter(
    ([, files]) => [...files].filter((file) => !file.endsWith("/operations.ts")).length > 1,
  );
  expect(shared.map(([name, files]) => [name, ...files])).toEqual([]);
});
