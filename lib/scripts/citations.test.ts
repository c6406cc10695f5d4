import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/** Everything that comments and documents refer to must be in the repository, so that whoever clones it can open it. */

const ROOT = path.resolve(import.meta.dirname, "../..");
const FOLDERS = ["app", "bench", "components", "docs", "e2e", "examples", "lib", "prisma"];
const TEXTS = /\.(ts|tsx|md|sql|mjs|css|sh|prisma|ya?ml)$/;
/** Generated files, and migrations, whose checksum is fixed once they are applied. */
const EXCLUDED = /^(lib\/generated|prisma\/migrations)\//;

const textFiles = (): string[] => {
  const listed = FOLDERS.flatMap((folder) =>
    fs
      .readdirSync(path.join(ROOT, folder), { recursive: true })
      .map((name) => `${folder}/${String(name).replaceAll("\\", "/")}`),
  );
  const files = [...fs.readdirSync(ROOT), ...listed].filter((file) => TEXTS.test(file));
  return files.filter((file) => !EXCLUDED.test(file));
};

const read = (file: string): string => fs.readFileSync(path.join(ROOT, file), "utf8");

/** Returns the matches of a pattern, as "file: match". */
const matchesOf = (pattern: RegExp): string[] =>
  textFiles().flatMap((file) => [...read(file).matchAll(pattern)].map(([match]) => `${file}: ${match}`));

const contractNumbers = (): Set<string> =>
  new Set([...read("docs/contract.md").matchAll(/^##+ (\d+(?:\.\d+)?) /gm)].map(([, number = ""]) => number));

/** "contract 7.5", "contract 4.2, 3.13" and "contract 7.5 to 7.7", also across a line break. */
const CONTRACT = /\bcontract[\s*/]+\d+(?:\.\d+)?(?:(?:, | and | to )\d+\.\d+)*/gi;

test("every number of the contract that is cited exists", () => {
  const known = contractNumbers();
  const cited = [
    ...matchesOf(CONTRACT),
    ...[...read("docs/contract.md").matchAll(/\(\d+\.\d+\)/g)].map(([match]) => `docs/contract.md: ${match}`),
  ];
  const numbersOf = (citation: string) =>
    citation.slice(citation.indexOf(": ")).match(/\d+(?:\.\d+)?/g) ?? [];
  expect(cited.length).toBeGreaterThan(200);
  expect(cited.filter((citation) => numbersOf(citation).some((number) => !known.has(number)))).toEqual([]);
});

test("the contract has each number once", () => {
  const headings = read("docs/contract.md").match(/^##+ \d+(?:\.\d+)? /gm) ?? [];
  expect(headings).toHaveLength(contractNumbers().size);
});

test("documents link only to files that exist", () => {
  const linksOf = (file: string) =>
    [...read(file).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)].map(([, target = ""]) => target);
  const broken = textFiles()
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) =>
      linksOf(file)
        .filter((target) => !fs.existsSync(path.join(ROOT, path.dirname(file), target)))
        .map((target) => `${file}: ${target}`),
    );
  expect(broken).toEqual([]);
});
