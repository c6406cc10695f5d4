import fs from "node:fs";
import path from "node:path";
import { parse } from "@babel/parser";
import { expect, test } from "vitest";
import en from "#lib/i18n/messages/en/index.ts";
import { isSyntaxNode, listNodes, type SyntaxNode } from "#lib/syntax-tree.ts";

/**
 * Names in the sources, of files and of messages use the standard terms of the glossary in CONTRIBUTING.md, not the
 * words it has retired.
 */

type RetiredTerm = { retired: readonly string[]; replacement: string };

const RETIRED_TERMS: readonly RetiredTerm[] = [
  { retired: ["anew", "mended"], replacement: "restart, refresh or fixed" },
  { retired: ["asked", "asking"], replacement: "request, requested or isConfirming" },
  { retired: ["deed", "deeds"], replacement: "audit entry, bulk action or action" },
  { retired: ["desk", "desks"], replacement: "inbox or triage" },
  { retired: ["doer", "doers"], replacement: "actor context" },
  { retired: ["farewell", "silence"], replacement: "connection watchdog or unresponsive connection" },
  { retired: ["glyph", "glyphs"], replacement: "icon" },
  { retired: ["kept"], replacement: "draft, preserved, remaining or saved" },
  { retired: ["look", "looks", "looked"], replacement: "view, access log entry, variant or styles" },
  { retired: ["standing", "standings"], replacement: "status, progress or workflow fields" },
  { retired: ["tally", "tallies"], replacement: "counts or aggregate" },
  { retired: ["tell", "tells", "told"], replacement: "notified or dispatched, or what the text is" },
  { retired: ["unhurried"], replacement: "asynchronous commit" },
  { retired: ["walk", "walks"], replacement: "adjacent incidents or visit" },
  { retired: ["words"], replacement: "messages, labels, text, chunks or t" },
];

const ROOT = path.resolve(import.meta.dirname, "../..");

test("no declared name contains a retired word", () => {
  expect(listSourceFiles().flatMap((file) => listRetiredNames(file, readSource(file)))).toEqual([]);
});

test("no key of a message contains a retired word", () => {
  const keys = Object.entries<Record<string, string>>(en).flatMap(([namespace, messages]) =>
    Object.keys(messages).map((key) => `${namespace}.${key}`),
  );
  expect(keys.length).toBeGreaterThan(1000);
  expect(keys.flatMap((key) => describeRetired(key, key.replaceAll(".", "_")))).toEqual([]);
});

test("no file or folder of the sources has a retired word in its name", () => {
  const own = path.posix.join("lib/scripts", path.basename(import.meta.filename));
  const files = listSourceFiles().filter((file) => file !== own);
  expect(files.flatMap((file) => describeRetired(file, file.replaceAll(/[^A-Za-z0-9]/g, "_")))).toEqual([]);
});

test.each([
  ["const keptRows = 1;", "keptRows"],
  ["const { a: toldOf, ...asked } = b;", "toldOf asked"],
  ["const WORDS = [];", "WORDS"],
  ["function onDeed(desk, [look] = []) {}", "onDeed desk look"],
  ["class Doer { kept = 1; }", "Doer kept"],
  ["type Tally = { words?: string };", "Tally words"],
  ["interface Walk { look(glyph: string): void }", "Walk look glyph"],
  ["import looks from './rows.module.css';", "looks"],
  ["const run = (standing) => standing;", "standing"],
])("finds each of them: %s", (source, names) => {
  const found = listRetiredNames("lib/example.ts", source);
  expect(found.map((line) => /: (\w+) /.exec(line)?.[1]).join(" ")).toBe(names);
});

test.each(["lookup(desktop, password);", "const t = { words: told };", "import { kept } from './a.ts';"])(
  "leaves other names alone, and uses of a name: %s",
  (source) => {
    expect(listRetiredNames("lib/example.ts", source)).toEqual([]);
  },
);

const listSourceFiles = (): string[] =>
  ["app", "components", "lib"]
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
        .map((name) => path.posix.join(folder, name.replaceAll("\\", "/"))),
    )
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith("lib/generated/"));

const readSource = (file: string): string => fs.readFileSync(path.join(ROOT, file), "utf8");

function listRetiredNames(file: string, source: string): string[] {
  const { program } = parse(source, {
    sourceType: "module",
    plugins: file.endsWith("x") ? ["typescript", "jsx"] : ["typescript"],
    attachComment: false,
  });
  return listDeclaredNames(program as unknown as SyntaxNode).flatMap((name) =>
    describeRetired(`${file}: ${name}`, name),
  );
}

/** @returns for each retired term in the name, where it is and what to write in its place */
function describeRetired(place: string, name: string): string[] {
  const parts = splitName(name);
  return RETIRED_TERMS.filter(({ retired }) => retired.some((word) => parts.includes(word))).map(
    ({ replacement }) => `${place} (use ${replacement})`,
  );
}

/** `keptRowIds` → kept, row, ids; `MAX_WORDS` → max, words. */
const splitName = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split("_");

function listDeclaredNames(node: SyntaxNode): string[] {
  return listNodes(node).flatMap(listDeclarations).flatMap(listBoundNames);
}

const NAMED_DECLARATIONS =
  /^(VariableDeclarator|Function(Declaration|Expression)|TSDeclareFunction|Class(Declaration|Expression)|TSTypeAliasDeclaration|TSInterfaceDeclaration|TSEnumDeclaration)$/;
const MEMBERS = /^(TS(Property|Method)Signature|Class(Private)?(Property|Method))$/;

/** Returns the nodes in which a node declares names. */
function listDeclarations(node: SyntaxNode): SyntaxNode[] {
  const { type, id, key, local, imported, param, parameter, params, parameters, computed } = node;
  const declared = [
    NAMED_DECLARATIONS.test(type) ? id : null,
    MEMBERS.test(type) && !computed ? key : null,
    type === "ImportSpecifier" && isRenamed(local as SyntaxNode, imported as SyntaxNode) ? local : null,
    /^Import(Default|Namespace)Specifier$/.test(type) ? local : null,
    type === "CatchClause" ? param : null,
    type === "TSParameterProperty" ? parameter : null,
    ...(/Function|Method/.test(type) ? [params ?? parameters ?? []].flat() : []),
  ];
  return declared.filter(isSyntaxNode);
}

const isRenamed = (local: SyntaxNode, imported: SyntaxNode): boolean => local.name !== imported.name;

/** Returns the names that a pattern binds. */
function listBoundNames(pattern: SyntaxNode): string[] {
  const { type, name, id, left, argument, value, elements, properties } = pattern;
  if (type === "Identifier") return [String(name)];
  const parts = [
    id,
    left,
    argument,
    type === "ObjectProperty" ? value : null,
    elements ?? [],
    properties ?? [],
  ];
  return parts.flat().filter(isSyntaxNode).flatMap(listBoundNames);
}
