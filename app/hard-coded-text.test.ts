import fs from "node:fs";
import path from "node:path";
import { parse, type ParserPlugin } from "@babel/parser";
import { expect, test } from "vitest";
import { listChildSyntaxNodes, type SyntaxNode } from "#lib/syntax-tree.ts";

/** All text that people read comes from the messages (lib/i18n), never from a page. */

const ROOT = path.resolve(import.meta.dirname, "..");

/**
 * Not part of the product: a page for developers, the last-resort error page, which has no messages
 * available, and the API.
 */
const EXCLUDED_PATHS = ["app/styleguide/", "app/global-error.tsx", "app/api/"];

const files = ["app", "components"]
  .flatMap((folder) =>
    fs
      .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
      .map((name) => path.join(folder, name)),
  )
  .filter((file) => !EXCLUDED_PATHS.some((one) => file.startsWith(one)));

test("the list of pages is not empty", () => {
  expect(files.length).toBeGreaterThan(60);
});

const readLiterals = (file: string) => listLiterals(fs.readFileSync(path.join(ROOT, file), "utf8"));

test.each(files)("%s has no hard-coded text", (file) => {
  expect(readLiterals(file)).toEqual([]);
});

test("the search finds literals in text, attributes, branches and templates", () => {
  const page = (inner: string) => `const P = () => <div>${inner}</div>;`;
  expect(listLiterals(page("Hello"))).toEqual(["Hello"]);
  expect(listLiterals(page('<p title="Hello" className="x" />'))).toEqual(["Hello"]);
  expect(listLiterals(page('{late ? "Late" : t("now")}'))).toEqual(["Late"]);
  expect(listLiterals(page("<p aria-label={`Page ${n}`} />"))).toEqual(["Page "]);
  expect(listLiterals('const DONE = { saved: "It is saved." };')).toEqual(["It is saved."]);
  expect(listLiterals(page("· {t('x')} – 3 %"))).toEqual([]);
  expect(listLiterals('throw new Error("Only we read this.");')).toEqual([]);
});

/** Attributes whose text people read or hear. */
const READABLE_ATTRIBUTES =
  /^(title|label|hint|alt|placeholder|prompt|any|caption|header|note|message|text|name of|trigger|pendingLabel|error|summary|aria-(label|description|roledescription|valuetext|placeholder))$/;

function listLiterals(source: string): string[] {
  const plugins: ParserPlugin[] = ["typescript", "jsx"];
  const found: string[] = [];
  collectLiterals(parse(source, { sourceType: "module", plugins }).program as unknown as SyntaxNode, found);
  return [...new Set(found)];
}

function collectLiterals(node: SyntaxNode, found: string[]): void {
  if (node.type === "JSXText") addFinding(node.value, found);
  if (node.type === "NewExpression" && (node.callee as { name?: string }).name === "Error") return;
  if (node.type === "StringLiteral" && SENTENCE_PATTERN.test(String(node.value)))
    addFinding(node.value, found);
  if (node.type === "TemplateElement") collectSentence((node.value as { cooked: string }).cooked, found);
  if (node.type === "JSXAttribute") return collectAttribute(node, found);
  if (node.type === "JSXExpressionContainer") collectTexts(node.expression as SyntaxNode, found);
  for (const child of listChildSyntaxNodes(node)) collectLiterals(child, found);
}

function collectAttribute(node: SyntaxNode, found: string[]): void {
  const name = (node.name as SyntaxNode & { name: string }).name;
  const value = node.value as SyntaxNode | null;
  if (!value) return;
  if (READABLE_ATTRIBUTES.test(name))
    collectTexts(value.type === "JSXExpressionContainer" ? (value.expression as SyntaxNode) : value, found);
  for (const child of listChildSyntaxNodes(value)) collectLiterals(child, found);
}

/** Text that begins like a sentence, wherever it occurs. */
const SENTENCE_PATTERN = /^\p{Lu}\p{L}*[’']?\p{L}*(?:[ ,.…!?:]|$)(?!\S*[/_])/u;

function collectSentence(text: string, found: string[]): void {
  if (/^\p{Lu}\p{Ll}+ \p{L}/u.test(text)) addFinding(text, found);
}

/** Collects the texts that an expression can evaluate to. */
function collectTexts(node: SyntaxNode, found: string[]): void {
  if (node.type === "StringLiteral") addFinding(node.value, found);
  if (node.type === "TemplateLiteral")
    for (const part of node.quasis as { value: { cooked: string } }[]) addFinding(part.value.cooked, found);
  if (node.type === "ConditionalExpression")
    for (const way of ["consequent", "alternate"]) collectTexts(node[way] as SyntaxNode, found);
  if (node.type === "LogicalExpression")
    for (const way of ["left", "right"]) collectTexts(node[way] as SyntaxNode, found);
}

/** Names of the service, roles, keys and methods are the same in every language. */
const NAMES_PATTERN =
  /^(Heed|Reporter|Responder|Admin|SystemAdmin|Control|Meta|Escape|Enter|Shift|Tab|Home|End|Arrow(Up|Down|Left|Right)|[A-Z-]+)$/;

function addFinding(text: unknown, found: string[]): void {
  if (typeof text === "string" && (NAMES_PATTERN.test(text.trim()) || /^\/[\w/-]*$/.test(text))) return;
  if (typeof text === "string" && /\p{L}{2}/u.test(text))
    found.push(text.trim() === "" ? text : text.replace(/^\n\s*|\n\s*$/g, ""));
}
