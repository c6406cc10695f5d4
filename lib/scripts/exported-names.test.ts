import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { listSourceFiles } from "#e2e/support/source-files.ts";
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

/** Files whose exports Next calls by their names. */
const FRAMEWORK_FILES =
  /^app\/(?:.*\/)?(?:page|layout|route|loading|error|not-found|global-error|robots|sitemap|opengraph-image)\.tsx?$/;

/** In the example code that the page about webhooks shows. */
const SHOWN_NAME = "isGenuineWebhookRequest";

/** Two files that export the same names: for components on the server and in the browser (package.json, "#i18n"). */
const TRANSLATORS = ["components/i18n/client-translator.tsx", "components/i18n/server-translator.ts"];

const EXPORT = /^export (?:async )?(?:function|const|class|type|interface|enum) (\w+)/gm;

const listModules = (): string[] =>
  listSourceFiles(["lib", "components", "app"]).filter(
    (file) => !/\.test\.|\/generated\//.test(file) && !TRANSLATORS.includes(file),
  );

test("a name is exported by one module only, or by an operations.ts and the function that it runs", () => {
  const modules = new Map<string, Set<string>>();
  for (const file of listModules())
    for (const [, name = ""] of fs.readFileSync(path.join(PROJECT_ROOT, file), "utf8").matchAll(EXPORT))
      if (!OF_THE_FRAMEWORK.has(name)) modules.set(name, (modules.get(name) ?? new Set()).add(file));
  expect(modules.size).toBeGreaterThan(2000);
  const shared = [...modules].filter(
    ([, files]) => [...files].filter((file) => !file.endsWith("/operations.ts")).length > 1,
  );
  expect(shared.map(([name, files]) => [name, ...files])).toEqual([]);
});

test("every exported name is used by another file", () => {
  const filesByWord = new Map<string, Set<string>>();
  for (const [file, source] of readAllSources())
    for (const [word] of source.matchAll(/[A-Za-z_$][\w$]*/g))
      filesByWord.set(word, (filesByWord.get(word) ?? new Set()).add(file));
  const unused = listModules()
    .filter((file) => !FRAMEWORK_FILES.test(file))
    .flatMap((file) =>
      [...fs.readFileSync(path.join(PROJECT_ROOT, file), "utf8").matchAll(EXPORT)]
        .filter(([, name = ""]) => [...(filesByWord.get(name) ?? [])].every((user) => user === file))
        .filter(([, name]) => name !== SHOWN_NAME)
        .map(([, name]) => `${name} in ${file}`),
    );
  expect(filesByWord.size).toBeGreaterThan(5000);
  expect(unused).toEqual([]);
});

/** Returns the text of each source by its path: the service's, the tests', and the settings of tools. */
function readAllSources(): Map<string, string> {
  const folders = ["lib", "components", "app", "e2e", "bench", "prisma"].flatMap((root) =>
    fs
      .readdirSync(path.join(PROJECT_ROOT, root), { recursive: true })
      .map((file) => path.posix.join(root, String(file).replaceAll(path.sep, "/"))),
  );
  return new Map(
    [...folders, ...fs.readdirSync(PROJECT_ROOT)]
      .filter(
        (file) => /\.(?:tsx?|mjs)$|^(?:package|tsconfig)\.json$/.test(file) && !file.includes("generated/"),
      )
      .map((file) => [file, fs.readFileSync(path.join(PROJECT_ROOT, file), "utf8")]),
  );
}
