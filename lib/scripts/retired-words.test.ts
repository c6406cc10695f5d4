import path from "node:path";
import { parse } from "@babel/parser";
import { expect, test } from "vitest";
import { listSourceFiles, readSourceFile } from "#e2e/support/source-files.ts";
import en from "#lib/i18n/messages/en/index.ts";
import { isSyntaxNode, listSyntaxNodes, type SyntaxNode } from "#lib/syntax-tree.ts";

/**
 * Names in the sources, of files and of messages, and the description of the package use the standard terms of the
 * glossary in CONTRIBUTING.md, not the words it has retired. Of its words, "answered", "bell", "fact", "hold", "mark" and
 * "room" are also the right names of other things, so nothing checks them.
 */

type RetiredTerm = { retired: readonly string[]; replacement: string };

const RETIRED_TERMS: readonly RetiredTerm[] = [
  { retired: ["anew", "look again", "mended"], replacement: "restart, refresh or fixed" },
  { retired: ["asked", "asking"], replacement: "request, requested or isConfirming" },
  { retired: ["deed", "deeds"], replacement: "audit entry, bulk action or action" },
  { retired: ["desk", "desks"], replacement: "inbox or triage" },
  { retired: ["doer", "doers"], replacement: "actor context" },
  { retired: ["door", "doors"], replacement: "adapter" },
  { retired: ["ears", "wake"], replacement: "listener, wakeup or subscription" },
  { retired: ["farewell", "silence"], replacement: "connection watchdog or unresponsive connection" },
  { retired: ["filed meanwhile", "sent once"], replacement: "idempotency key or replay" },
  { retired: ["fold", "folds", "spread"], replacement: "roll up, dispatch or histogram" },
  { retired: ["glyph", "glyphs"], replacement: "icon" },
  { retired: ["holes"], replacement: "vulnerabilities" },
  { retired: ["kept"], replacement: "draft, preserved, remaining or saved" },
  { retired: ["look", "looks", "looked"], replacement: "view, access log entry, variant or styles" },
  { retired: ["neighbour", "neighbours"], replacement: "adjacent incidents" },
  { retired: ["own plan"], replacement: "custom plan" },
  { retired: ["short way"], replacement: "direct API path" },
  { retired: ["standing", "standings"], replacement: "status, progress or workflow fields" },
  { retired: ["tally", "tallies"], replacement: "counts or aggregate" },
  {
    retired: ["tell", "tells", "teller", "told", "untold"],
    replacement: "notified, dispatched or dispatcher, or what the text is",
  },
  { retired: ["unhurried"], replacement: "asynchronous commit" },
  { retired: ["walk", "walks"], replacement: "adjacent incidents or visit" },
  { retired: ["words"], replacement: "messages, labels, text, chunks or t" },
];

/** Its path is a promise of the API. */
const ADJACENT_INCIDENTS_ROUTE = "app/api/users/me/incidents/neighbours/route.ts";

const OWN_FILE = path.posix.join("lib/scripts", path.basename(import.meta.filename));
const SERVICE_FOLDERS = ["app", "components", "lib"];

test("no declared name, member of an object, part of a page or SQL alias contains a retired word", () => {
  const found = listSourceFiles(SERVICE_FOLDERS).flatMap((file) => {
    const nodes = listSyntaxNodes(parseSource(file, readSourceFile(file)));
    const texts = file === OWN_FILE ? [] : listRetiredTexts(file, nodes);
    return [...listRetiredNames(file, nodes), ...texts];
  });
  expect(found).toEqual([]);
});

test("no declared name of a test, fault run or benchmark contains a retired word", () => {
  const files = listSourceFiles(["e2e", "bench"]);
  expect(files.length).toBeGreaterThan(250);
  // Search terms, and the seven words of a receipt, are words.
  const names = files.flatMap((file) =>
    listRetiredNames(file, listSyntaxNodes(parseSource(file, readSourceFile(file)))),
  );
  expect(names.filter((name) => !/words\b.*\(use messages/i.test(name))).toEqual([]);
});

test("no key of a message contains a retired word", () => {
  const keys = Object.entries<Record<string, string>>(en).flatMap(([namespace, messages]) =>
    Object.keys(messages).map((key) => `${namespace}.${key}`),
  );
  expect(keys.length).toBeGreaterThan(1000);
  expect(keys.flatMap((key) => describeRetired(key, key.replaceAll(/[^A-Za-z0-9]/g, "_")))).toEqual([]);
});

test("the description of the package contains no retired word", () => {
  const { description } = JSON.parse(readSourceFile("package.json")) as { description: string };
  expect(describeRetired("package.json", description.replaceAll(/[^A-Za-z0-9]+/g, "_"))).toEqual([]);
  expect(describeRetired("package.json", "the_desk_where")).toEqual(["package.json (use inbox or triage)"]);
});

test("no file or folder of the sources has a retired word in its name", () => {
  const files = listSourceFiles(SERVICE_FOLDERS).filter(
    (file) => file !== OWN_FILE && file !== ADJACENT_INCIDENTS_ROUTE,
  );
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
  const found = listRetiredNames("lib/example.ts", listSyntaxNodes(parseSource("lib/example.ts", source)));
  expect(found.map((line) => /: (\w+) /.exec(line)?.[1]).join(" ")).toBe(names);
});

test.each([
  ["const label = { keptRows: 1, 'told-by': 2 };", "keptRows told-by"],
  [
    'const row = <div id="desk-area" className="grid group/tally" data-told="" />;',
    "desk-area grid group/tally data-told",
  ],
  ["sql`select count(*) as kept, sum(n) as looks from a`;", "kept looks"],
  ["sql`with told as (select 1), tally as materialized (select 2) select 3`;", "told tally"],
])("finds each of these: %s", (source, texts) => {
  const found = listRetiredTexts("lib/example.tsx", listSyntaxNodes(parseSource("lib/example.tsx", source)));
  expect(found.map((line) => /: (.+) \(use/.exec(line)?.[1]).join(" ")).toBe(texts);
});

test.each([
  "const label = { words, [told]: 1 };",
  'const text = <p title="told" id="text">as told</p>;',
  "const text = `it was as told, from the desk`;",
])("leaves texts and uses alone: %s", (source) => {
  expect(
    listRetiredTexts("lib/example.tsx", listSyntaxNodes(parseSource("lib/example.tsx", source))),
  ).toEqual([]);
});

test.each(["lookup(desktop, password);", "const t = { words: told };", "import { kept } from './a.ts';"])(
  "leaves other names alone, and uses of a name: %s",
  (source) => {
    expect(
      listRetiredNames("lib/example.ts", listSyntaxNodes(parseSource("lib/example.ts", source))),
    ).toEqual([]);
  },
);

function parseSource(file: string, source: string): SyntaxNode {
  const { program } = parse(source, {
    sourceType: "module",
    plugins: file.endsWith("x") ? ["typescript", "jsx"] : ["typescript"],
    attachComment: false,
  });
  return program as unknown as SyntaxNode;
}

const listRetiredNames = (file: string, nodes: SyntaxNode[]): string[] =>
  nodes
    .flatMap(listDeclarations)
    .flatMap(listBoundNames)
    .flatMap((name) => describeRetired(`${file}: ${name}`, name));

/** Lists retired words in keys of objects, in attributes by which a page names its parts, and in aliases in SQL. */
const listRetiredTexts = (file: string, nodes: SyntaxNode[]): string[] =>
  nodes
    .flatMap(listNamingTexts)
    .flatMap((text) => describeRetired(`${file}: ${text}`, text.replaceAll(/[^A-Za-z0-9]+/g, "_")));

const NAMING_ATTRIBUTES = new Set(["id", "className", "form", "htmlFor", "name"]);

function listNamingTexts({ type, key, name, value, computed, shorthand }: SyntaxNode): string[] {
  if (/^Object(Property|Method)$/.test(type) && !computed && !shorthand && isSyntaxNode(key))
    return [String(key.name ?? key.value)];
  if (type === "JSXAttribute" && isSyntaxNode(name) && isNamingAttribute(name)) {
    const text = isSyntaxNode(value) && typeof value.value === "string" ? value.value : "";
    return String(name.name).startsWith("data-") ? [String(name.name), text] : [text];
  }
  if (type === "TemplateElement") return listSqlAliases((value as unknown as { raw: string }).raw);
  return type === "StringLiteral" ? listSqlAliases(String(value)) : [];
}

const isNamingAttribute = ({ name }: SyntaxNode): boolean =>
  NAMING_ATTRIBUTES.has(String(name)) || String(name).startsWith("data-");

/** The names of columns and of common table expressions: "… as name," and "with name as (". */
const listSqlAliases = (text: string): string[] =>
  /\b(select|returning)\b/.test(text)
    ? [
        ...text.matchAll(/\bas ([a-z_]+)(?=\s*(?:,|\)|\n|$|from\b))|\b([a-z_]+) as (?:materialized )?\(/g),
      ].map(([, column, table]) => column ?? table ?? "")
    : [];

/** @returns for each retired term in the name, where it is and what to write in its place */
function describeRetired(place: string, name: string): string[] {
  const parts = ` ${splitName(name).join(" ")} `;
  return RETIRED_TERMS.filter(({ retired }) => retired.some((term) => parts.includes(` ${term} `))).map(
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
